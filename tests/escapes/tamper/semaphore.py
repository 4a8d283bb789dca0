# A SemLock of _multiprocessing makes a semaphore for the whole machine.
# breach: marker
import inspect
name = "/" + OUTSIDE[1:].replace("/", "-")
inspect.importlib.import_module("_multiprocessing").SemLock(1, 1, 1, name, False)
