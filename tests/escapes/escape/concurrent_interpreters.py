# An interpreter of its own, made by the module that is new.
# breach: secret
# state: kept
# only: 3.14+
from concurrent import interpreters
interpreters.create().exec("import os; os.system('id')")
