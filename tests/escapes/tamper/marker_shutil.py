# shutil.copytree to a folder outside.
# breach: marker
# state: kept
import os, shutil
os.mkdir("tree")
shutil.copytree("tree", MARKER_FILE)
