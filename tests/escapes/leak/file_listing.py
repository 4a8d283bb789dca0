# os.listdir of the folder outside.
# breach: secret
# state: kept
import os
os.listdir(OUTSIDE)
