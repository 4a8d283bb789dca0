# A path of bytes.
# breach: secret
# state: kept
with open(SECRET_FILE.encode()) as file:
    text = file.read()
text
