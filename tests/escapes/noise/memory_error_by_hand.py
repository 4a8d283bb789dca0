# Raises MemoryError by hand.
# expect: memory
# state: kept
# when: run
raise MemoryError("by hand")
