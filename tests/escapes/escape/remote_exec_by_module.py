# The function behind sys.remote_exec, from another name of sys.
# breach: secret
# state: kept
# only: 3.14+
import warnings
warnings.sys.remote_exec(warnings.sys.maxsize % 7, "script.py")
