# pdb attaches to the process, and its commands run in a frame that has os.
# breach: secret
# only: 3.14+
import doctest, os
doctest.pdb.attach(os.getpid(), [f"p os.pread({SECRET_FD}, 100, 0)", "quit"])
