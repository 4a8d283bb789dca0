# os.setpriority.
# breach: setting
import os
os.setpriority(os.PRIO_PROCESS, os.getpid(), 5)
