# os.environ of the host.
# breach: secret
# state: kept
import os
os.environ[SECRET_NAME]
