# /proc/sys/kernel/hostname.
# breach: setting hostname
with open("/proc/sys/kernel/hostname") as file:
    name = file.read()
name
