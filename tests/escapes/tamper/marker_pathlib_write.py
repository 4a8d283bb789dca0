# Path.write_bytes.
# breach: marker
# state: kept
import pathlib
pathlib.Path(MARKER_FILE).write_bytes(b"made")
