# A value is nested a hundred thousand times, with kinds that take turns.
# expect: recursion or memory or rung 2
# when: repr
value = []
for n in range(100_000):
    value = [{n}, value] if n % 3 else {"key": value} if n % 2 else (value,)
try:
    display
except NameError:
    repr(value)
value
