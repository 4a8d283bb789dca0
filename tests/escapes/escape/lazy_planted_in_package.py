# A lazy import is put into a package, and the importer looks whether the package has the name.
# breach: secret
# only: 3.15+
import json
vars(json)["planted"] = __lazy_import__("posix")
from json import planted
planted.pread(SECRET_FD, 100, 0)
