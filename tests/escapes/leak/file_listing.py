# os.listdir of the folder outside.
# breach: secret
import os
os.listdir(OUTSIDE)
