# The loader of builtins loads posix.
# breach: secret
# state: kept
import builtins
builtins.__spec__.loader.load_module("posix").pread(SECRET_FD, 100, 0)
