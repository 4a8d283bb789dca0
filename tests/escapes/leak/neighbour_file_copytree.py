# shutil.copytree of a neighbour's folder.
# breach: neighbour
import shutil
shutil.copytree(NEIGHBOUR_DIR, "copied")
open("copied/vault.txt").read()
