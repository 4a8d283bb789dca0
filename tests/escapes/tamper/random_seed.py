# random.seed makes the host's numbers known.
# breach: setting
import random
random.seed(1)
