# glob.glob of the folder outside.
# breach: secret
# state: kept
import glob
glob.glob(OUTSIDE + "/*")
