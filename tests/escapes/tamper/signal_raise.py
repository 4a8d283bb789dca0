# signal.raise_signal hits the host.
# breach: setting
# state: kept
import signal
signal.raise_signal(signal.SIGUSR1)
