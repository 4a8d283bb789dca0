# atexit.register.
# breach: setting
import atexit
atexit.register(int)
