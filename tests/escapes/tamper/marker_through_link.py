# A file written through a link of the work directory.
# breach: marker
# state: kept
import os
os.symlink(MARKER_FILE, "link.txt")
open("link.txt", "w").close()
