# signal.setitimer.
# breach: setting
# state: kept
import unittest
unittest.signals.signal.setitimer(1, 600)
