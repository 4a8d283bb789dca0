# os.sched_setaffinity of the process's first thread.
# breach: setting
import os
os.sched_setaffinity(os.getpid(), [min(os.sched_getaffinity(0))])
