# zipfile writes an archive outside.
# breach: marker
import zipfile
zipfile.ZipFile(MARKER_FILE, "w").close()
