# A file in a neighbour's work directory.
# breach: neighbour
# state: kept
with open(NEIGHBOUR_DIR + "/vault.txt") as file:
    text = file.read()
text
