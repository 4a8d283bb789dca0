# os.reload_environ reads the environment of the process again.
# breach: secret
# only: 3.14+
import os
os.environ._data.clear()
os.reload_environ()
os.environ[SECRET_NAME]
