# import subprocess.
# breach: secret
import subprocess
subprocess.os.pread(SECRET_FD, 100, 0)
