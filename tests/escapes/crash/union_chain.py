# isinstance with a union of unions of aliases.
# expect: recursion or memory or crash or error or ok
# state: any
t = int
for n in range(300_000):
    t = (t, str)
isinstance(1.5, t)
