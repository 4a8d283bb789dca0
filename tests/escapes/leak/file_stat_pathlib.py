# pathlib.Path.stat.
# breach: setting inode
# state: kept
import pathlib
pathlib.Path(SECRET_FILE).stat().st_ino
