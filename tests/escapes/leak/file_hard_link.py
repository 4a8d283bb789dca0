# A hard link in the work directory.
# breach: secret
import os
os.link(SECRET_FILE, "hard.txt")
with open("hard.txt") as file:
    text = file.read()
text
