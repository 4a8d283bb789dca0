# os.path.samefile.
# breach: setting existence
import os
def exists(path):
    try:
        return os.path.samefile(path, path)
    except OSError:
        return False
exists(SECRET_FILE), exists(SECRET_FILE + "x")
