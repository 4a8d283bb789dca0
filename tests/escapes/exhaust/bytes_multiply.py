# Ten thousand million bytes at once.
# expect: memory
# state: kept
# when: run
b"x" * 10**10
