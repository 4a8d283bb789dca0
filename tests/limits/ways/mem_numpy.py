# Keeps arrays of numpy's.
# limit: memory
# forms: full
import numpy
keep = []
try:
    while True:
        keep.append(numpy.ones(1 << 20))
except MemoryError:
    pass
b = []
while True:
    b.append(numpy.ones(1000))
