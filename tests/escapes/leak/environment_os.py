# os.environ.
# breach: secret
# state: kept
import os
os.environ[SECRET_NAME]
