# shutil.copytree of a neighbour's folder.
# breach: neighbour
# state: kept
import shutil
shutil.copytree(NEIGHBOUR_DIR, "copied")
open("copied/vault.txt").read()
