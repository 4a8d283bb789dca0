# Calls from C: map, sorted, functools.
# limit: tool_calls
# options: --tool "echo=cat"
import functools
def call(i):
    try:
        return str(echo(x=i))
    except Exception:
        return ''
list(map(call, range(30)))
sorted(range(30), key=call)
functools.reduce(lambda a, b: call(b), range(30))
