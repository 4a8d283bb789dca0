# SystemExit in all its forms, from functions, threads of control and finalizers.
# expect: ok
import sys
for argument in (None, 0, 1, "text", 10**30, object()):
    try:
        sys.exit(argument)
    except SystemExit:
        pass
class Leaves:
    def __del__(self):
        raise SystemExit(3)
Leaves()
raise SystemExit
