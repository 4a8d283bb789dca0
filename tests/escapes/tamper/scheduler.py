# os.sched_setscheduler of the process's first thread.
# breach: setting
import os
os.sched_setscheduler(os.getpid(), os.SCHED_BATCH, os.sched_param(0))
