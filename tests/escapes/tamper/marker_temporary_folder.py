# tempfile.mkdtemp in a folder outside.
# breach: marker
import os, tempfile
tempfile.mkdtemp(dir=os.path.dirname(MARKER_FILE))
