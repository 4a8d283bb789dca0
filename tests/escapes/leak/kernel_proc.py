# /proc/version.
# breach: setting kernel
# state: kept
with open("/proc/version") as file:
    text = file.read()
text
