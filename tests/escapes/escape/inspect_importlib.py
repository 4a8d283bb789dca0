# inspect.importlib imports any module by name.
# breach: secret
import inspect
inspect.importlib.import_module("subprocess").os.pread(SECRET_FD, 100, 0)
