# shutil.make_archive to a path outside.
# breach: marker
# state: kept
import shutil
shutil.make_archive(MARKER_FILE, "zip", ".")
