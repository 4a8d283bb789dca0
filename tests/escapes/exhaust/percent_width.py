# The width of an old format is two thousand million columns.
# expect: memory
# state: kept
# when: run
"%2000000000d" % 1
