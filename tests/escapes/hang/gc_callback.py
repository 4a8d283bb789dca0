# A callback of the collector that loops: what it raises is only reported.
# expect: rung 1 or denied or error
# when: finalizer
import timeit
def callback(phase, info):
    while True:
        pass
timeit.gc.callbacks.append(callback)
timeit.gc.collect()
while True:
    pass
