# A file in a neighbour's work directory is written.
# breach: neighbour
with open(NEIGHBOUR_DIR + "/vault.txt", "w") as file:
    _ = file.write("escaped")
