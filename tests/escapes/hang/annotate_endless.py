# Annotations that are evaluated for ever, when they are asked for.
# expect: rung 1
# only: 3.14+
def f(a: [x for x in iter(int, 1)]): pass
f.__annotations__
