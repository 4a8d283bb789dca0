# os.rename of a file of the work directory.
# breach: marker
import os
open("x.txt", "w").close()
os.rename("x.txt", MARKER_FILE)
