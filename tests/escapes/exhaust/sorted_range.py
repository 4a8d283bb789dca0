# Sorts a hundred million numbers: the list comes first.
# expect: memory
sorted(range(10**9), key=lambda n: -n)
