"""Whether something took too long, on a machine that others use too."""
import os
import time

SLICE_S = 0.05  # of processor time


def slowness():
    """How many times longer than alone what computes takes here: at this moment, or in the last minute."""
    begun, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < SLICE_S:
        pass
    return max(1, (time.monotonic() - begun) / SLICE_S, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


def is_late(took_s, bound_s):
    """bound_s is several times what it takes on a machine that is quiet."""
    return took_s > bound_s and took_s > 2 * bound_s * slowness()
