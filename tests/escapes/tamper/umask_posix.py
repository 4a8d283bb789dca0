# umask of the module posix.
# breach: setting
# state: kept
import sys
sys.modules["posix"].umask(0)
