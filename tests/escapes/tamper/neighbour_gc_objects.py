# A neighbour's object, found by gc, leads to its names.
# breach: neighbour
import timeit
for thing in timeit.gc.get_objects():
    if type(thing).__name__ == "Vault":
        thing.look.__globals__["keep"].clear()
