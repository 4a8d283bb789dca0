# lzma.open outside.
# breach: marker
import lzma
lzma.open(MARKER_FILE, "w").close()
