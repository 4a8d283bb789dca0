# The file below an LZMAFile.
# breach: secret
import lzma
outer = lzma.LZMAFile(SECRET_FILE)
outer._fp.read()
