# os.chroot.
# breach: setting
# state: kept
# needs: root
import os
os.chroot(OUTSIDE)
