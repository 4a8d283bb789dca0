# linecache.os lists the folder outside.
# breach: secret
# only: 3.11
import linecache
linecache.os.listdir(OUTSIDE)
