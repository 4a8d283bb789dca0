# lzma.open outside.
# breach: marker
# state: kept
import lzma
lzma.open(MARKER_FILE, "w").close()
