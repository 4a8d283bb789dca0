# The list of an itertools.cycle gets shorter than the index at which it reads.
# 3.14 cannot set the state of itertools.
# expect: ok
# expect 3.14: error
# expect 3.15: error
import itertools
def values(count):
    return [("value %d" % i).title() for i in range(count)]
taken = values(10000)
cycle = itertools.cycle("")
cycle.__setstate__((taken, 1))
first = [next(cycle) for _ in range(9999)]
del first
taken[:] = ["Value 9999"]
kept = [b"\x41" * 40 for _ in range(20000)]
assert next(cycle) == "Value 9999"
short = itertools.cycle("")
short.__setstate__((values(10000), 1))
for _ in range(9999):
    next(short)
short.__setstate__((["Value 0"], 1))
assert next(short) == "Value 0"
one = itertools.cycle("ab")
next(one), next(one), next(one)
one.__reduce__()[2][0].clear()
assert next(one) == "b" and next(one) == "a"
