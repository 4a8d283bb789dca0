# Path.write_bytes.
# breach: marker
import pathlib
pathlib.Path(MARKER_FILE).write_bytes(b"made")
