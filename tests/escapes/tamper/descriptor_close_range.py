# os.closerange.
# breach: setting
# state: kept
import os
os.closerange(FOLDER_FD, FOLDER_FD + 5)
