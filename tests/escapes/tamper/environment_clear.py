# All of the environment is removed.
# breach: setting
import random
random._os.environ.clear()
