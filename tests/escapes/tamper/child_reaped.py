# os.waitpid takes the status of a child of the host.
# breach: setting
# state: kept
import os
os.waitpid(-1, os.WNOHANG)
