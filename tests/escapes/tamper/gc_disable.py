# gc.disable.
# breach: setting
# state: kept
import timeit
timeit.gc.disable()
