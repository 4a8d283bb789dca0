# /etc/passwd.
# breach: setting accounts
# state: kept
with open("/etc/passwd") as file:
    text = file.readline()
text
