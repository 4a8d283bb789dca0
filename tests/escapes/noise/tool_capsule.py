# Hands the calls of coroutines to _snug in the wrong order, twice, and after their end.
# expect: ok
# tools: yes
# when: await
import asyncio, sys
_snug = sys.modules["_snug_loop"].__dict__["_snug"]
call = later.__globals__["__snug_call__"]
def prepared():
    coroutine = call({"n": 1})
    return coroutine, coroutine.cr_frame.f_locals["prepared"]
def tried(function, *args):
    try:
        return function(*args)
    except (ToolError, TypeError, ValueError) as error:
        return error
others = [None, 1, object(), _snug, sys]
for function in (_snug.begin, _snug.end, _snug.drop):
    for other in others:
        assert isinstance(tried(function, other), (TypeError, ValueError))
coroutine, first = prepared()
assert isinstance(tried(_snug.end, first), ToolError)
assert isinstance(tried(_snug.begin, first), int)
assert isinstance(tried(_snug.begin, first), ToolError)
tried(_snug.drop, first), tried(_snug.drop, first), tried(_snug.end, first)
coroutine.close()
coroutine, second = prepared()
_snug.drop(second)
_snug.begin(second)
del coroutine, second
_snug.ended(), _snug.ended()
coroutine, third = prepared()
await coroutine
tried(_snug.end, third), tried(_snug.begin, third), tried(_snug.drop, third)
await asyncio.gather(*[later(n) for n in range(20)])
# %%
await later()
