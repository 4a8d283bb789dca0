# Path.rename.
# breach: marker
# state: kept
import pathlib
mine = pathlib.Path("mine")
mine.touch()
mine.rename(MARKER_FILE)
