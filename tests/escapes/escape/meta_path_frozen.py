# The frozen importer loads os again.
# breach: secret
import sys
finder = next(f for f in sys.meta_path if getattr(f, "__name__", "") == "FrozenImporter")
if hasattr(finder, "load_module"):  # up to 3.14
    os = finder.load_module("os")
else:
    spec = finder.find_spec("os")
    os = finder.create_module(spec)
    os.__spec__ = spec
    finder.exec_module(os)
os.pread(SECRET_FD, 100, 0)
