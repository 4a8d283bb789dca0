# A generator of a neighbour's, found by gc, has its locals.
# breach: neighbour
import timeit
[g.gi_frame.f_locals for g in timeit.gc.get_objects()
 if type(g).__name__ == "generator" and g.__name__ == "opener"]
