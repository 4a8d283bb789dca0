# Four nested for loops: finite, and longer than the age of the universe.
# expect: rung 1
# state: kept
# when: run
for a in range(10**9):
    for b in range(10**9):
        for c in range(10**9):
            total = a + b + c
