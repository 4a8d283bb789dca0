# gc.callbacks gets one more.
# breach: setting
import timeit
timeit.gc.callbacks.append(lambda phase, info: None)
