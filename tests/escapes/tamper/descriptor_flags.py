# fcntl sets a descriptor's flags.
# breach: setting
import fcntl, os
fcntl.fcntl(SECRET_FD, fcntl.F_SETFL, os.O_APPEND)
