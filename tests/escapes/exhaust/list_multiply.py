# A list of ten thousand million elements at once.
# expect: memory
# state: kept
# when: run
[0] * 10**10
