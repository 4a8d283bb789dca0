# os.sched_setaffinity of the process's first thread.
# breach: setting
# state: kept
import os
os.sched_setaffinity(os.getpid(), [min(os.sched_getaffinity(0))])
