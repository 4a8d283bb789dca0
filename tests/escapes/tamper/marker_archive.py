# shutil.make_archive outside.
# breach: marker
import os, shutil
os.mkdir("tree")
shutil.make_archive(MARKER_FILE, "zip", "tree")
