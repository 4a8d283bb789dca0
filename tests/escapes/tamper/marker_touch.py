# pathlib.Path.touch.
# breach: marker
# state: kept
import pathlib
pathlib.Path(MARKER_FILE).touch()
