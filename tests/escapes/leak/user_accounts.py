# /etc/passwd.
# breach: setting accounts
with open("/etc/passwd") as file:
    text = file.readline()
text
