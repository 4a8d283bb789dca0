# sys.executable, its links resolved.
# breach: setting executable
import os, sys
os.path.realpath(sys.executable)
