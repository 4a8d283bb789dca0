# os.kill of the process itself.
# breach: setting
import os, unittest
signal = unittest.signals.signal
os.kill(os.getpid(), signal.SIGUSR1)
