# tokenize.open.
# breach: secret
# state: kept
import tokenize
tokenize.open(SECRET_FILE).read()
