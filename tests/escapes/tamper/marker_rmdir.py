# shutil.rmtree.
# breach: marker
import os, shutil
shutil.rmtree(os.path.dirname(MARKER_FILE))
