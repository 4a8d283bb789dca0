# Unpacks an archive that is a thousand times as large as it was.
# limit: disk_bytes disk_files
# forms: local worker full bash
import zipfile
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for i in range(60):
        z.writestr(f"f{i}", b"\0" * 2_000_000)
zipfile.ZipFile("z.zip").extractall("out")
