# Calls the function in C behind a tool with what it does not expect.
# expect: ok
# tools: yes
call = later.__globals__["__snug_call__"]
class Other(dict):
    def __getitem__(self, name): raise KeyError
    def __iter__(self): return iter(range(10 ** 9))
wrong = [None, 1, [], (), {}, {1: 2}, {"a": 1}, {"n": object()}, Other(n=1, m=2), {None: 1},
         {"n": 1, "\udc80": 2}, {"\0": 1}, call, {"n": call}]
ended = 0
for arguments in wrong:
    try:
        call(arguments).close()
    except (TypeError, ValueError):
        ended += 1
assert ended == len(wrong), ended
for words in ((), (1, 2), ({"n": 1}, 2)):
    try:
        call(*words)
        ended += 1
    except TypeError:
        pass
try:
    call(n=1)
except TypeError:
    pass
type(call).__call__(call, {"n": 1}).close()
assert ended == len(wrong)
