# The hash of a nested tuple that shares its parts: nothing remembers it.
# expect: rung 3 the hash of tuples: tuplehash
# state: lost
# when: run
t = ()
for _ in range(100):
    t = (t, t)
hash(t)
