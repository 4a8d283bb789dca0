# The width of an old format is two thousand million columns.
# expect: memory
"%2000000000d" % 1
