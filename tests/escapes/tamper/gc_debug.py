# gc.set_debug prints to the host's stderr.
# breach: setting
# state: kept
import timeit
timeit.gc.set_debug(timeit.gc.DEBUG_UNCOLLECTABLE)
