# Raises the exception of a time-out by hand, if it can be had.
# expect: error
# state: kept
# when: run
raise TimeoutError("by hand")
