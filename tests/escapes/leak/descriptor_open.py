# open takes a number.
# breach: secret
file = open(SECRET_FD, closefd=False)
file.read()
