# tokenize.open.
# breach: secret
import tokenize
tokenize.open(SECRET_FILE).read()
