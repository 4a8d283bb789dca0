# shutil.copytree to a folder outside.
# breach: marker
import os, shutil
os.mkdir("tree")
shutil.copytree("tree", MARKER_FILE)
