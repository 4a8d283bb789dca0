# /proc/self/stat.
# breach: setting parent
with open("/proc/self/stat") as file:
    fields = file.read().rsplit(")", 1)[1].split()
fields[1]
