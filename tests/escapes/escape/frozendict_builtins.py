# Names and built-ins in frozendicts, which nobody can change: the built-ins have __import__.
# breach: secret
# only: 3.15+
import builtins
names = frozendict(SECRET_FD=SECRET_FD, __builtins__=frozendict(vars(builtins)), __name__="json")
eval("__import__('posix').pread(SECRET_FD, 100, 0)", names)
