# sys.executable, its links resolved.
# breach: setting executable
# state: kept
import os, sys
os.path.realpath(sys.executable)
