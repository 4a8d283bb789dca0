# Prints a thousand million characters at once.
# expect: memory
print("x" * 10**9)
