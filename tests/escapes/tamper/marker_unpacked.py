# shutil.unpack_archive outside.
# breach: marker
import os, shutil, zipfile
with zipfile.ZipFile("x.zip", "w") as archive:
    archive.writestr("made", "x")
shutil.unpack_archive("x.zip", os.path.dirname(MARKER_FILE))
