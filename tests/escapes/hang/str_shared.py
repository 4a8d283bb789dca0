# str of nested tuples that share their parts, in the cell itself.
# expect: rung 2 or memory
# state: kept
# when: run
t = ()
for _ in range(60):
    t = (t, t)
str(t)
