# The file below a GzipFile.
# breach: secret
import gzip
outer = gzip.open(SECRET_FILE)
outer.fileobj.read()
