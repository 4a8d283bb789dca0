# signal.setitimer.
# breach: setting
import unittest
unittest.signals.signal.setitimer(1, 600)
