# The host's current folder in /proc, and up from there.
# breach: secret
with open("/proc/self/cwd/../secret.txt") as file:
    text = file.read()
text
