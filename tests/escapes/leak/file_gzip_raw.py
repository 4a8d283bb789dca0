# The file below a GzipFile.
# breach: secret
# state: kept
import gzip
outer = gzip.open(SECRET_FILE)
outer.fileobj.read()
