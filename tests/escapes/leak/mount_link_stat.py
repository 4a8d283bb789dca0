# The size of what a link in a mount leads to.
# breach: setting size
import os
os.path.getsize("data/large")
