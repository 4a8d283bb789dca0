# signal.alarm: the host dies in some minutes.
# breach: setting
import unittest
signal = unittest.signals.signal
signal.alarm(600)
