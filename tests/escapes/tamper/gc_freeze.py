# gc.freeze.
# breach: setting
# state: kept
import timeit
timeit.gc.freeze()
