# pathlib.Path.stat.
# breach: setting inode
import pathlib
pathlib.Path(SECRET_FILE).stat().st_ino
