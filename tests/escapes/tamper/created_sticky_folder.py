# A folder is made with the sticky bit.
# breach: marker
# state: kept
import os
os.mkdir("folder", mode=0o1777)
