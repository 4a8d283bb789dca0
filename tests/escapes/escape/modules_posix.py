# sys.modules["posix"].
# breach: secret
import sys
sys.modules["posix"].pread(SECRET_FD, 100, 0)
