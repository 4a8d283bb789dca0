# A filter runs while the library imports, and takes what its frames have.
# breach: secret
# only: 3.15+
import sys
found = []
def look(importer, name, names=None):
    frame = sys._getframe(1)
    while frame:
        module = frame.f_builtins["__import__"]("posix", frame.f_globals)
        found.append(module.pread(SECRET_FD, 100, 0))
        frame = frame.f_back
    return True
sys.set_lazy_imports_filter(look)
for name in ("doctest", "contextlib", "dataclasses"):
    sys.modules.pop(name, None)
import doctest
found
