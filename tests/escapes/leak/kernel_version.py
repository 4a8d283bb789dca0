# platform.version.
# breach: setting kernel
import inspect
inspect.importlib.import_module("platform").version()
