# The repr of nested lists that share their parts, as the value of a cell.
# expect: rung 2 or memory or ok
# when: repr
t = []
for _ in range(60):
    t = [t, t]
t
