# Hides files in a folder that nobody may list.
# limit: disk_bytes disk_files
# forms: local worker full bash
import os
os.mkdir("h", 0o700)
try:
    for i in range(400):
        with open(f"h/f{i}", "wb") as f:
            f.write(b"x" * 200_000)
        if i == 3:
            os.chmod("h", 0o300)
except (OSError, AttributeError) as error:
    print(error)
