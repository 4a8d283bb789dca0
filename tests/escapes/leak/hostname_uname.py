# os.uname.
# breach: setting hostname
# state: kept
import os
os.uname().nodename
