# /proc/self/maps.
# breach: setting executable
with open("/proc/self/maps") as file:
    lines = file.read().split()
sorted({line for line in lines if line.startswith("/")})
