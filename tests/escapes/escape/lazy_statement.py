# A lazy import statement names a module that is not allowed, and the name is used.
# breach: secret
# only: 3.15+
lazy import subprocess
subprocess.os.pread(SECRET_FD, 100, 0)
