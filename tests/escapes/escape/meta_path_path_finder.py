# The path finder finds a module outside and its loader executes it.
# breach: secret
import sys
finder = next(f for f in sys.meta_path if getattr(f, "__name__", "") == "PathFinder")
spec = finder.find_spec("outside", [OUTSIDE])
module = type(sys)("outside")
spec.loader.exec_module(module)
module.value
