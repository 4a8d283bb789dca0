# pdb attaches to a process.
# breach: secret
# state: kept
# only: 3.14+
import doctest
doctest.pdb.attach(1)
