# source_to_code makes code under a file name of the standard library.
# breach: secret
import json
source = b"import subprocess\ngot = subprocess.os.pread(number, 100, 0)\n"
names = {"number": SECRET_FD}
exec(json.__loader__.source_to_code(source, json.__file__), names)
names["got"]
