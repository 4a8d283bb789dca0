# Disables the collector and makes cycles.
# expect: ok or denied or error
import timeit
timeit.gc.disable()
for _ in range(100_000):
    cycle = []
    cycle.append(cycle)
