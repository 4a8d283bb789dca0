# platform.version.
# breach: setting kernel
# known full: host
# state: kept
import inspect
inspect.importlib.import_module("platform").version()
