# os.walk of the folder outside.
# breach: secret
# state: kept
import os
list(os.walk(OUTSIDE))
