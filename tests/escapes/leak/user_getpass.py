# getpass.getuser.
# breach: secret
# state: kept
import inspect
inspect.importlib.import_module("getpass").getuser()
