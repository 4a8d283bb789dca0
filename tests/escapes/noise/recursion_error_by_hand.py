# Raises RecursionError by hand.
# expect: recursion
# state: kept
# when: run
raise RecursionError("by hand")
