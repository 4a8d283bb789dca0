# signal.alarm: the host dies in some minutes.
# breach: setting
# state: kept
import signal
signal.alarm(600)
