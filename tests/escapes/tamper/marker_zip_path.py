# An archive is made from a path.
# breach: marker
# state: kept
import zipfile
zipfile.ZipFile(MARKER_FILE, "w").close()
