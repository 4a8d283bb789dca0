# os.setgroups.
# breach: setting
# needs: root
import os
os.setgroups([1, 2, 3])
