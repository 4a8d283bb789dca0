# tempfile.mkdtemp in a folder outside.
# breach: marker
# state: kept
import os, tempfile
tempfile.mkdtemp(dir=os.path.dirname(MARKER_FILE))
