# The width of a format is two thousand million columns.
# expect: memory
f"{1:>2000000000}"
