# Replaces each of a million characters by a million characters.
# expect: memory
("a" * 10**6).replace("a", "b" * 10**6)
