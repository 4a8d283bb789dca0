# Slices in slices are compared: the recursion is checked by the address of the stack.
# expect: rung 2
# only: 3.14+
a = b = 1
for _ in range(60):
    a, b = slice(a, a), slice(b, b)
a == b
