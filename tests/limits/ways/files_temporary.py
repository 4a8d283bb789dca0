# Makes temporary files and folders by the modules for it, and keeps the objects.
# limit: disk_files
# forms: local worker full bash
import tempfile
keep = []
try:
    for i in range(1000):
        keep.append(tempfile.NamedTemporaryFile(dir="."))
        keep.append(tempfile.mkdtemp(dir="."))
except (OSError, AttributeError, NameError) as error:
    print(error)
print(len(keep))
