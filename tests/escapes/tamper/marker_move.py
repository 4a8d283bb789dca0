# shutil.move to a path outside.
# breach: marker
# state: kept
import shutil
open("mine", "w").close()
shutil.move("mine", MARKER_FILE)
