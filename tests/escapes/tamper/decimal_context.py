# decimal.DefaultContext, from which all others are made.
# breach: setting
# state: kept
import decimal
decimal.DefaultContext.prec = 3
