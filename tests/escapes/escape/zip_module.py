# A module in an archive of the work directory has a file name that nobody knows.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import sys, zipfile
with zipfile.ZipFile("mine.zip", "w") as archive:
    archive.writestr("inside.py", "import subprocess")
sys.path.insert(0, "mine.zip")
import inside
inside.subprocess.call(["sh", "-c", f"echo > {MARKER_FILE}"])
