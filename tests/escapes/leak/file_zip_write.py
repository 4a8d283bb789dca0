# An archive takes a file in.
# breach: secret
import zipfile
with zipfile.ZipFile("taken.zip", "w") as archive:
    archive.write(SECRET_FILE, "taken")
zipfile.ZipFile("taken.zip").read("taken")
