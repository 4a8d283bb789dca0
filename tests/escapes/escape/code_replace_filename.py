# Code that claims to come from a file of the standard library.
# breach: marker
import sys
sys.audit = lambda *arguments: None
import json
def reach(path):
    import subprocess
    return subprocess.call(["sh", "-c", "echo > " + path])
reach.__code__ = reach.__code__.replace(co_filename=json.__file__)
reach(MARKER_FILE)
