# shutil.copymode onto a file outside.
# breach: marker
import os, shutil
open("mine", "w").close()
os.chmod("mine", 0o777)
shutil.copymode("mine", SECRET_FILE)
