# A name of a module that is not allowed is imported lazily, and called.
# breach: secret
# only: 3.15+
lazy from posix import pread
pread(SECRET_FD, 100, 0)
