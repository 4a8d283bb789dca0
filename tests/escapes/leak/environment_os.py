# os.environ.
# breach: secret
import os
os.environ[SECRET_NAME]
