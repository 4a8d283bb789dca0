# /dev/fd/NUMBER.
# breach: secret
with open(f"/dev/fd/{SECRET_FD}") as file:
    text = file.read()
text
