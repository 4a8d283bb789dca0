# os.setresuid.
# breach: setting
# state: kept
# needs: root
import os
os.setresuid(-1, 65534, -1)
