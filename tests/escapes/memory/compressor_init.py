# A compressor is made again while another thread is in it: its lock was freed, and what it writes with.
# expect: ok
# only: 3.11
# profile: data
# threads: 2
import bz2, lzma, threading
data = bytes(range(256)) * 4000
packed = {bz2.BZ2Decompressor: bz2.compress(data), lzma.LZMADecompressor: lzma.compress(data)}
refused = 0
for kind in (bz2.BZ2Compressor, lzma.LZMACompressor, bz2.BZ2Decompressor, lzma.LZMADecompressor):
    for _ in range(2):
        made = kind()
        use = (lambda: made.decompress(packed[kind])) if kind in packed else (lambda: made.compress(data))
        other = threading.Thread(target=use)
        other.start()
        for _ in range(20):
            try:
                made.__init__()
            except RuntimeError:
                refused += 1
        other.join()
assert refused == 160, refused
# %%
for kind in packed:
    assert kind().decompress(packed[kind]) == data
try:
    made = lzma.LZMACompressor(check=99)
except lzma.LZMAError:
    pass
