# os.setpriority.
# breach: setting
# state: kept
import os
os.setpriority(os.PRIO_PROCESS, os.getpid(), 5)
