# inspect.os is os.
# breach: secret
# state: kept
import inspect
inspect.os.pread(SECRET_FD, 100, 0)
