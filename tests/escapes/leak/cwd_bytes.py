# os.getcwdb.
# breach: secret
# state: kept
import os
os.getcwdb()
