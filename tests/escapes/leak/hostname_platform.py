# platform.node.
# breach: setting hostname
# state: kept
import inspect
inspect.importlib.import_module("platform").node()
