# A folder is made with the sticky bit.
# breach: marker
import os
os.mkdir("folder", mode=0o1777)
