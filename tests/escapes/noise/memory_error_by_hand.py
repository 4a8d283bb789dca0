# Raises MemoryError by hand.
# expect: memory
raise MemoryError("by hand")
