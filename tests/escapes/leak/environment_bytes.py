# os.environb.
# breach: secret
# state: kept
import os
os.environb[SECRET_NAME.encode()]
