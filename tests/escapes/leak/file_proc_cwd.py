# The host's current folder in /proc, and up from there.
# breach: secret
# state: kept
with open("/proc/self/cwd/../secret.txt") as file:
    text = file.read()
text
