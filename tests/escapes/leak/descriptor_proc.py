# /proc/self/fd/NUMBER.
# breach: secret
with open(f"/proc/self/fd/{SECRET_FD}") as file:
    text = file.read()
text
