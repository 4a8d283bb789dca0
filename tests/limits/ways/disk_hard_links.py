# Gives files other names and deletes the first, over and over.
# limit: disk_bytes disk_files
# forms: local worker full bash
import os
for i in range(300):
    try:
        with open("a", "wb") as f:
            f.write(b"x" * (1 << 20))
        os.link("a", f"l{i}")
        os.unlink("a")
    except (OSError, AttributeError) as error:
        print(error)
        break
