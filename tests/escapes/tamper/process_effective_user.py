# os.setresuid.
# breach: setting
# needs: root
import os
os.setresuid(-1, 65534, -1)
