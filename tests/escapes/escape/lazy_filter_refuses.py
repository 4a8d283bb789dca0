# A filter has each lazy import made at once, by C code that asks no __import__.
# breach: secret
# only: 3.15+
import sys
sys.set_lazy_imports_filter(lambda importer, name, names=None: False)
lazy import posix
posix.pread(SECRET_FD, 100, 0)
