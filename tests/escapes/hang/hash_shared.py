# The hash of a nested tuple that shares its parts: nothing remembers it.
# expect: rung 3 the hash of tuples: tuplehash
# expect 3.14: ok
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
# when: run
t = ()
for _ in range(100):
    t = (t, t)
hash(t)
