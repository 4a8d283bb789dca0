# An array of ten thousand million numbers.
# expect: memory
import array
array.array("d", [1.0]) * 10**10
