# /proc/version.
# breach: setting kernel
with open("/proc/version") as file:
    text = file.read()
text
