# Path.rglob.
# breach: setting existence
# state: kept
import os, pathlib
name = os.path.basename(SECRET_FILE)
bool(list(pathlib.Path(OUTSIDE).rglob(name))), bool(list(pathlib.Path(OUTSIDE).rglob(name + "x")))
