# tempfile in a folder outside.
# breach: marker
import os, tempfile
tempfile.NamedTemporaryFile(dir=os.path.dirname(MARKER_FILE), delete=False).close()
