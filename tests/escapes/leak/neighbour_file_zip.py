# An archive takes in a neighbour's file.
# breach: neighbour
import zipfile
with zipfile.ZipFile("taken.zip", "w") as archive:
    archive.write(NEIGHBOUR_DIR + "/vault.txt", "taken")
zipfile.ZipFile("taken.zip").read("taken").decode()
