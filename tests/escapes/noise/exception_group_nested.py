# Groups in groups, two thousand deep, leave the cell.
# expect: error or recursion
# when: report
group = ExceptionGroup("inner", [ValueError(1)])
for _ in range(100_000):
    group = ExceptionGroup("outer", [group])
raise group
