# /proc/self/cmdline.
# breach: secret
# state: kept
with open("/proc/self/cmdline", "rb") as file:
    data = file.read()
data
