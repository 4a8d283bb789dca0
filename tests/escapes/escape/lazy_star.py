# A lazy import is put into a module, whose names a star import takes.
# breach: secret
# only: 3.15+
import json
vars(json)["planted"] = __lazy_import__("posix")
json.__all__ = ["planted"]
from json import *
planted.pread(SECRET_FD, 100, 0)
