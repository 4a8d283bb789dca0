# os.environb.
# breach: secret
import os
os.environb[SECRET_NAME.encode()]
