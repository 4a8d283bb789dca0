# Copies trees of the system's.
# limit: disk_files disk_bytes
# forms: bash
cp -r /usr/lib/python3*/ . 2>/dev/null
