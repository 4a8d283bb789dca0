# str of nested tuples that share their parts, in the cell itself.
# expect: rung 2 or memory
t = ()
for _ in range(60):
    t = (t, t)
str(t)
