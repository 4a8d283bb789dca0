# The user's site folder, by sysconfig.
# breach: secret
import inspect
inspect.importlib.import_module("sysconfig").get_path("purelib", "posix_user")
