# os.rename brings the file into the work directory.
# breach: secret
import os
os.rename(SECRET_FILE, "mine.txt")
with open("mine.txt") as file:
    text = file.read()
text
