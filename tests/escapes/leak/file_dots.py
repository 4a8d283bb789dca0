# A relative path with many dots.
# breach: secret
with open("../" * 30 + SECRET_FILE[1:]) as file:
    text = file.read()
text
