# gc.get_referents of a proxy answers the dictionary of list.
# breach: neighbour
import timeit
timeit.gc.get_referents(list.__dict__)[0]["escaped"] = 1
