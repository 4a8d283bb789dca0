# gc.callbacks gets one more.
# breach: setting
# state: kept
import timeit
timeit.gc.callbacks.append(lambda phase, info: None)
