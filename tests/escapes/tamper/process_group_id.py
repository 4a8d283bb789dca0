# os.setgid.
# breach: setting
# state: kept
# needs: root
import os
os.setgid(65534)
