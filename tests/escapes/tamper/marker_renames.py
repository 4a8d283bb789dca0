# os.renames, which makes the folders on the way.
# breach: marker
import os
open("mine", "w").close()
os.renames("mine", MARKER_FILE + "/there")
