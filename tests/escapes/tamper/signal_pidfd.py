# signal.pidfd_send_signal.
# breach: setting
import os, unittest
signal = unittest.signals.signal
number = os.pidfd_open(os.getpid())
signal.pidfd_send_signal(number, signal.SIGUSR1)
os.close(number)
