# A link to the folder, and a path through it and back.
# breach: secret
import os
os.symlink(OUTSIDE, "folder")
with open("folder/marker/../secret.txt") as file:
    text = file.read()
text
