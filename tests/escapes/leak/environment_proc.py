# /proc/self/environ.
# breach: secret
# state: kept
with open("/proc/self/environ", "rb") as file:
    data = file.read()
data
