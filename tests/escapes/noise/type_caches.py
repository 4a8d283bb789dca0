# Changes classes so fast that every cache of the interpreter is flushed.
# expect: ok
# state: kept
# when: run
class A:
    x = 0
class B(A):
    pass
for n in range(100_000):
    A.x = n
    B().x
