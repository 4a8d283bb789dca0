# decimal.DefaultContext, from which all others are made.
# breach: setting
import decimal
decimal.DefaultContext.prec = 3
