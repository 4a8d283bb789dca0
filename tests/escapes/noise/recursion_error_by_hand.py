# Raises RecursionError by hand.
# expect: recursion
raise RecursionError("by hand")
