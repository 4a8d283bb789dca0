# The module pwd.
# breach: setting accounts
import inspect
pwd = inspect.importlib.import_module("pwd")
":".join(map(str, pwd.getpwall()[0]))
