# A neighbour's work directory is renamed.
# breach: neighbour
import os
os.rename(NEIGHBOUR_DIR, NEIGHBOUR_DIR + "-escaped")
