# open.
# breach: secret
# state: kept
with open(SECRET_FILE) as file:
    text = file.read()
text
