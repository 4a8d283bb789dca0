# The frozen importer loads os again.
# breach: secret
# state: kept
import sys
finder = next(f for f in sys.meta_path if getattr(f, "__name__", "") == "FrozenImporter")
finder.load_module("os").pread(SECRET_FD, 100, 0)
