# open for writing outside of the work directory.
# breach: marker
# state: kept
open(MARKER_FILE, "w").close()
