# open takes a number.
# breach: secret
# state: kept
file = open(SECRET_FD, closefd=False)
file.read()
