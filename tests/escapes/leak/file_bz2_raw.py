# The file below a BZ2File.
# breach: secret
import bz2
outer = bz2.BZ2File(SECRET_FILE)
outer._fp.read()
