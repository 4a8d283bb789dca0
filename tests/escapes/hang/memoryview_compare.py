# Compares two memory views of a strange format, element by element.
# expect: rung 2
import array, itertools
a = memoryview(array.array("q", range(10**6)))
b = memoryview(array.array("d", range(10**6)))
all(map(a.__eq__, itertools.repeat(b)))
