# /proc/self/environ.
# breach: secret
with open("/proc/self/environ", "rb") as file:
    data = file.read()
data
