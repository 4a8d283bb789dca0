# The host's current folder.
# breach: secret
# state: kept
import os
os.getcwd()
