# A file in a neighbour's work directory.
# breach: neighbour
with open(NEIGHBOUR_DIR + "/vault.txt") as file:
    text = file.read()
text
