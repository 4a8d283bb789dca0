# A call of numpy's that does not look up.
# limit: wall cpu
# forms: full
# after: 3
import numpy
a = numpy.ones((3000, 3000))
while True:
    a = a @ a
