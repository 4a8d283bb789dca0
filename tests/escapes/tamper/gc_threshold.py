# gc.set_threshold.
# breach: setting
import timeit
timeit.gc.set_threshold(10**9)
