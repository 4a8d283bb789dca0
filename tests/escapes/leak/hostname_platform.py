# platform.node.
# breach: setting hostname
import inspect
inspect.importlib.import_module("platform").node()
