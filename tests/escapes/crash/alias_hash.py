# The hash of list[list[list[...]]], half a million deep.
# expect: crash or recursion or memory or ok
# state: any
t = int
for _ in range(400_000):
    t = list[t]
hash(t)
