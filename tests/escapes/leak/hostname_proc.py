# /proc/sys/kernel/hostname.
# breach: setting hostname
# state: kept
with open("/proc/sys/kernel/hostname") as file:
    name = file.read()
name
