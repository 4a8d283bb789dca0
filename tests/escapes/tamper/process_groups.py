# os.setgroups.
# breach: setting
# state: kept
# needs: root
import os
os.setgroups([1, 2, 3])
