# compile under a file name of the standard library.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import json
names = {}
exec(compile("import subprocess as s", json.__file__, "exec"), names)
names["s"].call(["sh", "-c", f"echo > {MARKER_FILE}"])
