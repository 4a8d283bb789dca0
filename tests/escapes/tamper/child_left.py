# A child that goes on after the cell.
# breach: setting
import os
if os.fork() == 0:
    import time
    time.sleep(3)
    os._exit(0)
