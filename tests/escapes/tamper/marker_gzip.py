# gzip.open outside.
# breach: marker
# state: kept
import gzip
gzip.open(MARKER_FILE, "w").close()
