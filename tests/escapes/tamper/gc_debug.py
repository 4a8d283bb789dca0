# gc.set_debug prints to the host's stderr.
# breach: setting
import timeit
timeit.gc.set_debug(timeit.gc.DEBUG_UNCOLLECTABLE)
