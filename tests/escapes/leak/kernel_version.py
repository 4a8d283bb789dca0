# platform.version.
# breach: setting kernel
# state: kept
import inspect
inspect.importlib.import_module("platform").version()
