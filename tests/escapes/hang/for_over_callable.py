# A for loop over a callable iterator that never meets its sentinel.
# expect: rung 1
for _ in iter(int, 1):
    pass
