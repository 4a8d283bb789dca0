# A template string holds what was evaluated: an attribute of a module that is not ours.
# breach: secret
# only: 3.14+
import random
t"{random._os.pread(SECRET_FD, 100, 0)!r}".interpolations[0].value
