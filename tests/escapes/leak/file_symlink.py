# A symbolic link in the work directory.
# breach: secret
import os
os.symlink(SECRET_FILE, "link.txt")
with open("link.txt") as file:
    text = file.read()
text
