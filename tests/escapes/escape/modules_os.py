# sys.modules["os"].
# breach: secret
import sys, inspect
sys.modules["os"].pread(SECRET_FD, 100, 0)
