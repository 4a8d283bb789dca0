# An archive is made from a path.
# breach: marker
import zipfile
zipfile.ZipFile(MARKER_FILE, "w").close()
