# The annotations of a class of the library are replaced by a function that is called later.
# breach: secret
# only: 3.14+
import random
random.Random.__annotate__ = lambda format: {"x": random._os.pread(SECRET_FD, 100, 0)}
random.Random.__annotations__
