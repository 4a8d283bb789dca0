# The same file, from one's own work directory upwards.
# breach: neighbour
import os
with open(os.path.relpath(NEIGHBOUR_DIR) + "/vault.txt") as file:
    text = file.read()
text
