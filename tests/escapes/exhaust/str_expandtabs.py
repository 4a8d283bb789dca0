# Expands a million tabs to a million columns each.
# expect: memory
# state: kept
# when: run
("\t" * 10**6).expandtabs(10**6)
