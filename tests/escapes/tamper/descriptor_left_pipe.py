# os.pipe leaves descriptors in the host.
# breach: setting
# state: kept
import os
os.pipe()
