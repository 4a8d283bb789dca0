# os.setuid.
# breach: setting
# needs: root
import os
os.setuid(65534)
