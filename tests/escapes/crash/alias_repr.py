# The repr of list[list[list[...]]].
# expect: recursion or memory or crash
# state: any
# when: repr
t = int
for _ in range(200_000):
    t = list[t]
t
