# The functions behind display() are called with what they do not expect.
# expect: ok
# when: display
try:
    from IPython.display import display as show
    module = show.__globals__["_snug"]
except ImportError:
    module = None
def attempt(function, *args):
    try:
        function(*args)
    except Exception as error:
        return type(error).__name__
class Text(str):
    def __str__(self): raise ValueError
    def encode(self, *args): raise ValueError
class Liar(dict):
    def __len__(self): return 10 ** 9
    def items(self): raise ValueError
loop = []
loop.append(loop)
for name in dir(module):
    function = getattr(module, name)
    if callable(function) and name not in ("wait", "acquire"):
        for args in ((), (1,), (None,), ([],), ([()],), ([(1, 2, 3)],), ("x" * 10_000,), (loop,),
                     ([("a", loop, True)], {}, "", 0), ([("a", Text("b"), False)], Liar(a=1), "", 0),
                     ([("a\0b", "c", False)], {}, "", 0), ([("a", "c", 0)] * 1000, {}, "", 0),
                     ([("a", "\ud800", False)], {"\ud800": 1}, "i" * 1000, 1),
                     ([("", "", False)], {1: 2}, "", 1), (compile("1", "f", "exec"),),
                     (compile("await x", "f", "exec", 8192),)):
            attempt(function, *args)
# %%
1 + 1
