# Path.move, which is new, takes a file of the host into the work directory.
# breach: secret
# only: 3.14+
from pathlib import Path
Path(SECRET_FILE).move("mine").read_text()
