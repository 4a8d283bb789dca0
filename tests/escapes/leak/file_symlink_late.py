# A path-like object makes its name a link while open asks it for the name.
# breach: secret
import os
class Path:
    def __fspath__(self):
        os.symlink(SECRET_FILE, "swap.txt")
        return "swap.txt"
with open(Path()) as file:
    text = file.read()
text
