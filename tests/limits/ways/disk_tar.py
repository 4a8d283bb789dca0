# Unpacks an archive with sparse and linked members.
# limit: disk_bytes disk_files
# forms: local worker full bash
import io, tarfile
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w:gz") as t:
    for i in range(400):
        info = tarfile.TarInfo(f"d{i}/f{i}")
        info.size = 200_000
        t.addfile(info, io.BytesIO(b"\0" * 200_000))
out.seek(0)
tarfile.open(fileobj=out).extractall("out")
