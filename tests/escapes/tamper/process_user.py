# os.setuid.
# breach: setting
# state: kept
# needs: root
import os
os.setuid(65534)
