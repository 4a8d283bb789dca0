# Keeps compressors of lzma, which take hundreds of MiB each at the highest preset.
# limit: memory
# forms: local worker full bash
import lzma
keep = []
while True:
    keep.append(lzma.LZMACompressor(preset=9 | lzma.PRESET_EXTREME))
    keep[-1].compress(b"x" * 100000)
