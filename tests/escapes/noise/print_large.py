# Prints eighty million characters at once, which there is room for.
# expect: ok or memory
print("spam" * 20_000_000)
