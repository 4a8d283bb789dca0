# os.closerange.
# breach: setting
import os
os.closerange(FOLDER_FD, FOLDER_FD + 5)
