# Path.info and Path.move reach files outside of the work directory.
# breach: secret
# state: kept
# only: 3.14+
# profile: data
from pathlib import Path
Path("/etc/hostname").move("mine")
