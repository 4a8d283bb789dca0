# sum(range(10**13)): the loop allocates each number.
# expect: rung 2
sum(range(10**13))
