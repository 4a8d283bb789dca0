# Has itertools keep what was passed: tee, cycle, product and groups.
# limit: memory
# forms: local worker full bash
import itertools
a, b = itertools.tee(itertools.count())
c = itertools.cycle(itertools.count())
while True:
    next(a)
    next(c)
