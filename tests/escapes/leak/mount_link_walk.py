# The names in a folder that a link in a mount leads to.
# breach: secret
import os
[names for _, names, _ in os.walk("data", followlinks=True)]
