# Copies a tree into itself, with sendfile and copy_file_range where they are.
# limit: disk_bytes disk_files
# forms: local worker full bash
import shutil, os
os.mkdir("a")
with open("a/f", "wb") as f:
    f.write(b"x" * (2 << 20))
for i in range(60):
    try:
        shutil.copytree("a", f"a{i}")
        shutil.copyfile("a/f", f"g{i}")
    except (OSError, shutil.Error) as error:
        print(error)
        break
