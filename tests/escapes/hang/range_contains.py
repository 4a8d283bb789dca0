# Looks in a huge range for something that is not an integer: a search, one by one.
# expect: rung 2
1.5 in range(10**15)
