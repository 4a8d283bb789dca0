# deque.count of nested deques.
# expect: rung 2
# expect 3.13: rung 3 the comparison of deques: deque_richcompare
# state 3.13: any
import collections
def nest(x):
    for _ in range(60):
        x = (x, x)
    return x
collections.deque([nest(0)] * 10).count(nest(0.0))
