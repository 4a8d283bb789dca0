# The host's current folder.
# breach: secret
import os
os.getcwd()
