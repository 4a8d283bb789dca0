# os.pipe leaves descriptors in the host.
# breach: setting
import os
os.pipe()
