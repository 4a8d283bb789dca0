# random.seed makes the host's numbers known.
# breach: setting
# state: kept
import random
random.seed(1)
