# A neighbour's work directory is renamed.
# breach: neighbour
# state: kept
import os
os.rename(NEIGHBOUR_DIR, NEIGHBOUR_DIR + "-escaped")
