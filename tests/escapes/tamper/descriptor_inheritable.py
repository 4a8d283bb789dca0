# os.set_inheritable.
# breach: setting
import os
os.set_inheritable(SECRET_FD, not os.get_inheritable(SECRET_FD))
