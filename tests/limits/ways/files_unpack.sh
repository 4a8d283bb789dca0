# Unpacks an archive of ten thousand empty files.
# limit: disk_files
python3 -c '
import tarfile
with tarfile.open("/tmp/t.tar", "w") as t:
    for i in range(10000):
        t.addfile(tarfile.TarInfo(f"f{i}"))'
tar xf /tmp/t.tar
