# signal.signal.
# breach: setting
# state: kept
import unittest
signal = unittest.signals.signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
