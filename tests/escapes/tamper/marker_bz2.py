# bz2.open to write.
# breach: marker
import bz2
bz2.open(MARKER_FILE, "w").close()
