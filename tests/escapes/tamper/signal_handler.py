# signal.signal.
# breach: setting
import unittest
signal = unittest.signals.signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
