# getpass.getuser.
# breach: secret
import inspect
inspect.importlib.import_module("getpass").getuser()
