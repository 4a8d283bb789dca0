# Copies trees of the system's.
# limit: disk_files disk_bytes
cp -r /usr/lib/python3*/ . 2>/dev/null
