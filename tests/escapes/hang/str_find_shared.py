# A tuple of a million prefixes is tried on a text, again and again from C.
# expect: rung 1
import itertools
prefixes = tuple(f"{i:07}" for i in range(10**5)) + ("a",)
all(map("abc".startswith, itertools.repeat(prefixes)))
