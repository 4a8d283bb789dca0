# Slashes and dots that a comparison of text does not see through.
# breach: secret
path = "/" * 3 + SECRET_FILE[1:].replace("/", "/.//./")
with open(path) as file:
    text = file.read()
text
