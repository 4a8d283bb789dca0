# A file in a neighbour's work directory is removed.
# breach: neighbour
import os
os.remove(NEIGHBOUR_DIR + "/vault.txt")
