# os.renames, which makes the folders on the way.
# breach: marker
# state: kept
import os
open("mine", "w").close()
os.renames("mine", MARKER_FILE + "/there")
