# posix.getpid through a module that holds os.
# breach: setting pid
# state: kept
import inspect
inspect.os.getpid()
