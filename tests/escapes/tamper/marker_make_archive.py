# shutil.make_archive to a path outside.
# breach: marker
import shutil
shutil.make_archive(MARKER_FILE, "zip", ".")
