# os.popen.
# breach: secret
import os
os.popen(f"cat {SECRET_FILE}").read()
