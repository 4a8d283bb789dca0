# Freezes the collector, sets its thresholds to one and its debugging on.
# expect: ok or denied or error
import timeit
timeit.gc.freeze()
timeit.gc.set_threshold(1)
timeit.gc.collect()
