# Python's own unpickler finds a lazy import by the names of a module and of it.
# breach: secret
# only: 3.15+
import pickle, types, sys
planted = sys.modules["planted"] = types.ModuleType("planted")
vars(planted)["system"] = __lazy_import__("posix")
pickle._loads(b"cplanted\nsystem\n.").pread(SECRET_FD, 100, 0)
