# Path.copy_into, which is new, copies a file of the host into the work directory.
# breach: secret
# only: 3.14+
from pathlib import Path
Path(SECRET_FILE).copy_into(".").read_text()
