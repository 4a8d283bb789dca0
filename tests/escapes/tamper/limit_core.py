# resource.prlimit of the process itself.
# breach: setting
import inspect
resource = inspect.importlib.import_module("resource")
resource.prlimit(0, resource.RLIMIT_MSGQUEUE, (1, 1))
