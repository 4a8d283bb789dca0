# sys.modules["posix"].
# breach: secret
# state: kept
import sys
posix = sys.modules["posix"]
posix.read(posix.open(SECRET_FILE, posix.O_RDONLY), 100)
