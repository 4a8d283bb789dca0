# The width of a format is two thousand million columns.
# expect: memory
# state: kept
# when: run
f"{1:>2000000000}"
