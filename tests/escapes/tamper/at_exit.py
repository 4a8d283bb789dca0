# atexit.register.
# breach: setting
# state: kept
import atexit
atexit.register(int)
