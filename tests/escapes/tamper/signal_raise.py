# signal.raise_signal hits the host.
# breach: setting
# state: kept
import unittest
signal = unittest.signals.signal
signal.raise_signal(signal.SIGUSR1)
