# A variable of the host is removed.
# breach: setting
import os
del os.environ[SECRET_NAME]
