# /proc/self/coredump_filter.
# breach: setting
with open("/proc/self/coredump_filter", "w") as file:
    _ = file.write("0x1")
