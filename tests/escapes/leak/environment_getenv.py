# os.getenv.
# breach: secret
# state: kept
import os
os.getenv(SECRET_NAME)
