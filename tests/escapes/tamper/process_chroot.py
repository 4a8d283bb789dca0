# os.chroot.
# breach: setting
# needs: root
import os
os.chroot(OUTSIDE)
