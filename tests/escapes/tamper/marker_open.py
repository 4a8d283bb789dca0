# open for writing outside of the work directory.
# breach: marker
open(MARKER_FILE, "w").close()
