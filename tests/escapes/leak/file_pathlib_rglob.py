# Path.rglob.
# breach: setting existence
import os, pathlib
name = os.path.basename(SECRET_FILE)
bool(list(pathlib.Path(OUTSIDE).rglob(name))), bool(list(pathlib.Path(OUTSIDE).rglob(name + "x")))
