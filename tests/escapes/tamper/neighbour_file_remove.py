# A file in a neighbour's work directory is removed.
# breach: neighbour
# state: kept
import os
os.remove(NEIGHBOUR_DIR + "/vault.txt")
