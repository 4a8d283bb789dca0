# os.kill of the process itself.
# breach: setting
# state: kept
import os, signal
os.kill(os.getpid(), signal.SIGUSR1)
