# An object in place of sys.stdout opens the file when the host flushes it.
# breach: secret
import sys
class Out:
    def __init__(self, old):
        self.old = old
    def write(self, text):
        with open(SECRET_FILE) as file:
            self.old.write(file.read())
    def flush(self):
        self.write("")
sys.stdout = Out(sys.stdout)
print("x")
