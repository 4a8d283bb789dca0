# shutil.rmtree.
# breach: marker
# state: kept
import os, shutil
shutil.rmtree(os.path.dirname(MARKER_FILE))
