# /proc/self/mem.
# breach: secret
with open("/proc/self/mem", "rb", 0) as file:
    file.seek(SECRET_ADDRESS)
    data = file.read(60)
data
