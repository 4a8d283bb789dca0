# The profiler's C half, from its name before 3.15.
# breach: secret
# only: 3.15+
import sys
found = []
def timer():
    found.append(sys._getframe(1).f_builtins["__import__"]("posix").pread(SECRET_FD, 100, 0))
    return 0
import cProfile
cProfile.Profile(timer).runcall(sorted, [1])
found
