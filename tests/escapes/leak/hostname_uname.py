# os.uname.
# breach: setting hostname
import os
os.uname().nodename
