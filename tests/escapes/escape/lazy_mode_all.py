# All imports are made lazy, the library's too, and its names are used from a cell.
# breach: secret
# only: 3.15+
import sys
sys.set_lazy_imports("all")
import tempfile
found = []
for name in ("_os", "_shutil", "_io"):
    try:
        found.append(getattr(tempfile, name).os.pread(SECRET_FD, 100, 0))
    except Exception as error:
        found.append(error)
import posix
found.append(posix.pread(SECRET_FD, 100, 0))
found
