# signal.signal.
# breach: setting
# state: kept
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
