# linecache.os lists the folder outside.
# breach: secret
# state: kept
# only: 3.11
import linecache
linecache.os.listdir(OUTSIDE)
