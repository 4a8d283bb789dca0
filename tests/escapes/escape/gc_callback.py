# A callback of the collector makes a file, whoever collects.
# breach: marker
import sys, timeit
def collected(phase, info, path=MARKER_FILE, open=open, done=[]):
    try:
        open(path, "w").close()
    except OSError:
        pass
timeit.gc.callbacks.append(collected)
timeit.gc.collect()
timeit.gc.callbacks.remove(collected)
