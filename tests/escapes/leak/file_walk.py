# os.walk of the folder outside.
# breach: secret
import os
list(os.walk(OUTSIDE))
