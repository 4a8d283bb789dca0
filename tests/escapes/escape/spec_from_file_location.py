# spec_from_file_location and module_from_spec, through inspect.
# breach: secret
import inspect
util = inspect.importlib.import_module("importlib.util")
spec = util.spec_from_file_location("outside", OUTSIDE + "/outside.py")
module = util.module_from_spec(spec)
spec.loader.exec_module(module)
module.value
