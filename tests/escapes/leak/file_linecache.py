# linecache.getlines.
# breach: secret
# state: kept
import linecache
linecache.getlines(SECRET_FILE)
