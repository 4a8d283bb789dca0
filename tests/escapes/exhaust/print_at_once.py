# Prints a thousand million characters at once.
# expect: memory
# state: kept
# when: run
print("x" * 10**9)
