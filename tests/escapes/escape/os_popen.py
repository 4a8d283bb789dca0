# os.popen.
# breach: secret
# state: kept
import os
os.popen(f"cat {SECRET_FILE}").read()
