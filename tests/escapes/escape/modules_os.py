# sys.modules["os"].
# breach: secret
# state: kept
import sys, inspect
sys.modules["os"].pread(SECRET_FD, 100, 0)
