# gc.freeze.
# breach: setting
import timeit
timeit.gc.freeze()
