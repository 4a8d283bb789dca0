# FileIO with the mode x.
# breach: marker
# state: kept
import io
io.FileIO(MARKER_FILE.encode(), "x").close()
