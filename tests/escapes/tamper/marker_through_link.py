# A file written through a link of the work directory.
# breach: marker
import os
os.symlink(MARKER_FILE, "link.txt")
open("link.txt", "w").close()
