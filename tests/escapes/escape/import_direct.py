# import subprocess.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import subprocess
subprocess.call(["sh", "-c", f"echo > {MARKER_FILE}"])
