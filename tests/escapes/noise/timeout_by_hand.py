# Raises the exception of a time-out by hand, if it can be had.
# expect: error
raise TimeoutError("by hand")
