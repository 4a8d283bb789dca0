# Packs what does not pack, at the highest preset, in one call.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import lzma, random
x = random.Random(1).randbytes(8 << 20)
lzma.compress(x, preset=6)
