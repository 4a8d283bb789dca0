# A tool's name, globals, defaults and code are replaced, and others' with it.
# expect: ok
# tools: yes
import types
call = echo.__globals__["__snug_call__"]
echo.__globals__["__snug_call__"] = fail.__globals__["__snug_call__"]
try:
    echo(a=1)
except (ToolError, TypeError):
    pass
echo.__globals__.clear()
try:
    echo(a=1)
except NameError:
    pass
fail.__code__ = (lambda: None).__code__
fail()
never = echo = None
copy = types.FunctionType(large.__code__, {"__snug_call__": call})
assert copy() == {}
ToolError = ValueError
# %%
ToolError.__name__
