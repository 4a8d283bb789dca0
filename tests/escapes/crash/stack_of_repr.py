# repr of lists in lists, past the end of the stack that CPython looks at.
# expect: recursion or memory
# only: 3.14+
a = []
for _ in range(1_000_000):
    a = [a]
repr(a)
