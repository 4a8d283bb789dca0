# /proc/self/cmdline.
# breach: secret
with open("/proc/self/cmdline", "rb") as file:
    data = file.read()
data
