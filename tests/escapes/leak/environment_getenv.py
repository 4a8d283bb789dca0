# os.getenv.
# breach: secret
import os
os.getenv(SECRET_NAME)
