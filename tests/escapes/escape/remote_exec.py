# sys.remote_exec has a script run in this very process.
# breach: secret
# state: kept
# only: 3.14+
import sys
with open("script.py", "w") as file:
    file.write("import subprocess; subprocess.os.write(1, subprocess.os.pread(SECRET_FD, 100, 0))")
sys.remote_exec(1, "script.py")
