# umask of the module posix.
# breach: setting
import sys
sys.modules["posix"].umask(0)
