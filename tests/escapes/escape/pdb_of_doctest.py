# The debugger that doctest has imported runs a statement in a frame of its own.
# breach: secret
# state: kept
# only: 3.14+
import doctest
doctest.pdb.run("import subprocess; subprocess.os.pread(SECRET_FD, 100, 0)")
