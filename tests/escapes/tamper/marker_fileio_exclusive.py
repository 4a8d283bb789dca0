# FileIO with the mode x.
# breach: marker
import io
io.FileIO(MARKER_FILE.encode(), "x").close()
