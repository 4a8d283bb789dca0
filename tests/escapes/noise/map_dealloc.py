# A chain of map objects is freed: each frees the next.
# expect: ok or crash or memory
# state: any
# when: finalizer
it = iter([1])
for _ in range(1_000_000):
    it = map(int, it)
del it
