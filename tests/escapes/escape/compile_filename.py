# compile under a file name of the standard library.
# breach: secret
import json
names = {}
exec(compile("import subprocess as s", json.__file__, "exec"), names)
names["s"].os.pread(SECRET_FD, 100, 0)
