# Four nested for loops: finite, and longer than the age of the universe.
# expect: rung 1
for a in range(10**9):
    for b in range(10**9):
        for c in range(10**9):
            total = a + b + c
