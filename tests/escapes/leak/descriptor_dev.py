# /dev/fd/NUMBER.
# breach: secret
# state: kept
with open(f"/dev/fd/{SECRET_FD}") as file:
    text = file.read()
text
