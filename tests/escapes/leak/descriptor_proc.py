# /proc/self/fd/NUMBER.
# breach: secret
# state: kept
with open(f"/proc/self/fd/{SECRET_FD}") as file:
    text = file.read()
text
