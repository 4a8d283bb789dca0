# linecache.getlines.
# breach: secret
import linecache
linecache.getlines(SECRET_FILE)
