# Changes classes so fast that every cache of the interpreter is flushed.
# expect: ok
class A:
    x = 0
class B(A):
    pass
for n in range(100_000):
    A.x = n
    B().x
