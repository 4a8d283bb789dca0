# gc.set_threshold.
# breach: setting
# state: kept
import timeit
timeit.gc.set_threshold(10**9)
