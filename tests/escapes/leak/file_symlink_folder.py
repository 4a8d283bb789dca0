# A link to the folder, and a path through it and back.
# breach: secret
# state: kept
import os
os.symlink(OUTSIDE, "folder")
with open("folder/marker/../secret.txt") as file:
    text = file.read()
text
