# os.setgid.
# breach: setting
# needs: root
import os
os.setgid(65534)
