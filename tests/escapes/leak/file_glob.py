# glob.glob of the folder outside.
# breach: secret
import glob
glob.glob(OUTSIDE + "/*")
