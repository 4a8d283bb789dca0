# os.reload_environ reads the environment of the process again.
# breach: secret
# state: kept
# only: 3.14+
import os
os.reload_environ()
os.environ["SNUG_SECRET"]
