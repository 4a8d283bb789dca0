# gzip.open outside.
# breach: marker
import gzip
gzip.open(MARKER_FILE, "w").close()
