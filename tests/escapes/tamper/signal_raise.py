# signal.raise_signal hits the host.
# breach: setting
import unittest
signal = unittest.signals.signal
signal.raise_signal(signal.SIGUSR1)
