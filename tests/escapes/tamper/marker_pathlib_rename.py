# Path.rename.
# breach: marker
import pathlib
mine = pathlib.Path("mine")
mine.touch()
mine.rename(MARKER_FILE)
