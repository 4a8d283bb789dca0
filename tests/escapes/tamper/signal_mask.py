# signal.pthread_sigmask.
# breach: setting
# state: kept
import unittest
unittest.signals.signal.pthread_sigmask(0, [unittest.signals.signal.SIGHUP])
