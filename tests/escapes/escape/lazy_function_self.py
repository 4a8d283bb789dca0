# The function that imports lazily is asked for the one that it took the place of.
# breach: secret
# only: 3.15+
import builtins
own = __lazy_import__.__self__
if own is None:
    own = builtins
own.__import__("posix").pread(SECRET_FD, 100, 0)
