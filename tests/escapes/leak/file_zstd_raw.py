# The file below a ZstdFile.
# breach: secret
# only: 3.14+
from compression import zstd
outer = zstd.ZstdFile(SECRET_FILE)
outer._fp.read()
