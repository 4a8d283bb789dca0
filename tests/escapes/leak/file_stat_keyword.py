# os.stat by a keyword that is called path and hashes as something else.
# breach: setting existence
import os
class Name(str):
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return False
def has(path):
    try:
        return bool(os.stat(**{Name("path"): path}))
    except OSError:
        return False
has(SECRET_FILE), has(SECRET_FILE + "x")
