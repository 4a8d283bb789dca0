# shutil.move to a path outside.
# breach: marker
import shutil
open("mine", "w").close()
shutil.move("mine", MARKER_FILE)
