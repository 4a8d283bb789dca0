# Expands a million tabs to a million columns each.
# expect: memory
("\t" * 10**6).expandtabs(10**6)
