# A variable of the host is removed.
# breach: setting
# state: kept
import os
del os.environ[SECRET_NAME]
