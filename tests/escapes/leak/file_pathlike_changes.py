# A path-like object that answers another path each time.
# breach: secret
class Path:
    answers = []
    def __fspath__(self):
        self.answers.append(1)
        return SECRET_FILE if len(self.answers) > 1 else "x.txt"
open("x.txt", "w").close()
with open(Path()) as file:
    text = file.read()
with open(Path()) as file:
    text += file.read()
text
