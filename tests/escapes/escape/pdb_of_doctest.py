# The debugger that doctest has imported runs a statement in a frame of its own.
# breach: secret
# only: 3.14+
import doctest, io
names = {"SECRET_FD": SECRET_FD}
debugger = doctest.pdb.Pdb(stdin=io.StringIO("continue\n"), stdout=io.StringIO())
debugger.run("import subprocess; got = subprocess.os.pread(SECRET_FD, 100, 0)", names)
names["got"]
