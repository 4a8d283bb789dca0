# A file in a neighbour's work directory is cut off.
# breach: neighbour
import os
os.truncate(NEIGHBOUR_DIR + "/vault.txt", 0)
