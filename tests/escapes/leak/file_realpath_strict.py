# os.path.realpath fails for what is not there.
# breach: setting existence
import os
def exists(path):
    try:
        return os.path.realpath(path, strict=True) == path
    except OSError:
        return False
exists(SECRET_FILE), exists(SECRET_FILE + "x")
