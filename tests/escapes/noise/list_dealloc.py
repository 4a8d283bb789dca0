# A list two million deep is freed.
# expect: ok or memory
# when: finalizer
nested = []
for _ in range(1_500_000):
    nested = [nested]
del nested
