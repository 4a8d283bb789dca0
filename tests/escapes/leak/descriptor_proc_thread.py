# /proc/thread-self/fd/NUMBER.
# breach: secret
with open(f"/proc/thread-self/fd/{SECRET_FD}") as file:
    text = file.read()
text
