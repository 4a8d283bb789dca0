# signal.set_wakeup_fd.
# breach: setting
import os, unittest
signal = unittest.signals.signal
end = os.open("x.txt", os.O_RDWR | os.O_CREAT | os.O_NONBLOCK)
signal.set_wakeup_fd(end)
