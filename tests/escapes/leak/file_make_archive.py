# shutil.make_archive of a folder outside.
# breach: secret
import shutil, zipfile
shutil.make_archive("all", "zip", OUTSIDE)
archive = zipfile.ZipFile("all.zip")
[archive.read(name) for name in archive.namelist() if not name.endswith("/")]
