# posix.getpid through a module that holds os.
# breach: setting pid
import inspect
inspect.os.getpid()
