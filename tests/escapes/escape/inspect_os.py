# inspect.os is os.
# breach: secret
import inspect
inspect.os.pread(SECRET_FD, 100, 0)
