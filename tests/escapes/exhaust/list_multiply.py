# A list of ten thousand million elements at once.
# expect: memory
[0] * 10**10
