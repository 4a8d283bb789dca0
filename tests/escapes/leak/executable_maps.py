# /proc/self/maps.
# breach: setting executable
# state: kept
with open("/proc/self/maps") as file:
    lines = file.read().split()
sorted({line for line in lines if line.startswith("/")})
