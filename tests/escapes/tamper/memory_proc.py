# A write to /proc/self/mem is seen by a read.
# breach: secret
# state: kept
with open("/proc/self/mem", "r+b", 0) as file:
    file.seek(SECRET_ADDRESS)
    old = file.read(60)
    file.seek(SECRET_ADDRESS)
    file.write(old)
old
