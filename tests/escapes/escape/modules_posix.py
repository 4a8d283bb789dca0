# sys.modules["posix"].
# breach: secret
# state: kept
import sys
sys.modules["posix"].pread(SECRET_FD, 100, 0)
