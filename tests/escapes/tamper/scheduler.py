# os.sched_setscheduler of the process's first thread.
# breach: setting
# state: kept
import os
os.sched_setscheduler(os.getpid(), os.SCHED_BATCH, os.sched_param(0))
