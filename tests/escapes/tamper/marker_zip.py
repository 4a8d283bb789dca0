# zipfile writes an archive outside.
# breach: marker
# state: kept
import zipfile
zipfile.ZipFile(MARKER_FILE, "w").close()
