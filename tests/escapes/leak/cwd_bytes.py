# os.getcwdb.
# breach: secret
import os
os.getcwdb()
