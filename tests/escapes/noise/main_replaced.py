# Takes __main__ out of sys.modules and puts another one there.
# expect: ok or error
import sys, types
sys.modules["__main__"] = types.ModuleType("__main__")
del sys.modules["__main__"]
