# gc.disable.
# breach: setting
import timeit
timeit.gc.disable()
