# pathlib.Path.touch.
# breach: marker
import pathlib
pathlib.Path(MARKER_FILE).touch()
