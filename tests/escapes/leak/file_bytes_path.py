# A path of bytes.
# breach: secret
with open(SECRET_FILE.encode()) as file:
    text = file.read()
text
