# A str subclass that calls itself another path.
# breach: secret
class Path(str):
    def __str__(self):
        return "x.txt"
    def __fspath__(self):
        return SECRET_FILE
with open(Path(SECRET_FILE)) as file:
    text = file.read()
text
