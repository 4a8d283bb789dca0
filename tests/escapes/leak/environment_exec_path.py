# os.get_exec_path is handed no environment and takes its own.
# breach: secret
import os
os.get_exec_path.__globals__["environ"][SECRET_NAME]
