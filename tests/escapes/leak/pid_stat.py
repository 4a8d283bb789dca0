# /proc/self/status.
# breach: setting pid
with open("/proc/self/status") as file:
    lines = file.read().split()
lines[lines.index("Tgid:") + 1]
