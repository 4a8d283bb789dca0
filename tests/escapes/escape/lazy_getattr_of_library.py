# Library code gets an attribute that is a lazy import: inspect lists the members of a module.
# breach: secret
# only: 3.15+
import inspect, types
planted = types.ModuleType("planted")
vars(planted)["system"] = __lazy_import__("posix")
dict(inspect.getmembers(planted))["system"].pread(SECRET_FD, 100, 0)
