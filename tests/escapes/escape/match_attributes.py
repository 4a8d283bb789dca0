# A class pattern reads attributes without naming a call.
# breach: secret
import random
match random:
    case object(_os=object(pread=read)):
        pass
read(SECRET_FD, 100, 0)
