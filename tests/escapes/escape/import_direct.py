# import subprocess.
# breach: secret
# state: kept
import subprocess
subprocess.os.pread(SECRET_FD, 100, 0)
