# os.waitpid takes the status of a child of the host.
# breach: setting
import os
os.waitpid(-1, os.WNOHANG)
