# gc.get_objects shows a neighbour's objects.
# breach: neighbour
import timeit
[o.look() for o in timeit.gc.get_objects() if type(o).__name__ == "Vault"]
