# source_to_code makes code under a file name of the standard library.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import json
source = b"import subprocess\ngot = subprocess.call(['sh', '-c', 'echo > ' + path])\n"
names = {"path": MARKER_FILE}
exec(json.__loader__.source_to_code(source, json.__file__), names)
names["got"]
