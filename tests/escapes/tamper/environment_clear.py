# All of the environment is removed.
# breach: setting
# state: kept
import random
random._os.environ.clear()
