# Ten thousand million bytes at once.
# expect: memory
b"x" * 10**10
