# What the library would import later is asked for, where that is not allowed.
# breach: secret
# only: 3.15+
import traceback
traceback._colorize.os.pread(SECRET_FD, 100, 0)
