# A class says that its source is in a file of the host's, and its source is asked for.
# breach: secret
import inspect, linecache, sys, types
module = types.ModuleType("forged")
module.__file__ = SECRET_FILE
sys.modules["forged"] = module
try:
    lines = linecache.getlines(SECRET_FILE)
    print(lines)
finally:
    class Forged:
        pass
    Forged.__module__ = "forged"
    Forged.__qualname__ = "host"
    try:
        print(inspect.getsource(Forged))
    except (OSError, TypeError):
        pass
    try:
        __snug_magic__("pinfo2", "Forged")
    except NameError:
        pass
