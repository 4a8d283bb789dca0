# A write to /proc/self/mem.
# breach: setting
with open("/proc/self/mem", "r+b", 0) as file:
    file.seek(SECRET_ADDRESS)
    _ = file.write(b"escaped")
