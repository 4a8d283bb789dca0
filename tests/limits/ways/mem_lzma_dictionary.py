# Asks lzma for a dictionary of more than a GiB, and unpacks one that says it needs as much.
# limit: memory
# forms: local worker full bash
import lzma
f = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
c = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=f)
c.compress(bytes(1 << 22))
