# signal.pthread_sigmask.
# breach: setting
import unittest
unittest.signals.signal.pthread_sigmask(0, [unittest.signals.signal.SIGHUP])
