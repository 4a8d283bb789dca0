# The value of the cell is a list of five million numbers.
# expect: ok or memory
# when: repr
list(range(3_000_000))
