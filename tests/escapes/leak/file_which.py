# shutil.which looks for the executable that it is told.
# breach: setting existence
import os, shutil
def exists(path):
    return shutil.which(os.path.basename(path), mode=os.F_OK, path=os.path.dirname(path)) is not None
exists(SECRET_FILE), exists(SECRET_FILE + "x")
