# open.
# breach: secret
with open(SECRET_FILE) as file:
    text = file.read()
text
