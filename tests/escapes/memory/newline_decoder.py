# A decoder of newlines that is made again while its decoder decodes: that one was freed and then used.
# expect: ok
import codecs, io
refused = 0
def handler(error):
    global refused
    try:
        newlines.__init__(None, False)
    except RuntimeError:
        refused += 1
    return "?", error.end
codecs.register_error("again", handler)
for _ in range(50):
    newlines = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("euc-jp")("again"), True)
    text = newlines.decode(b"a\xff\xff\r\n" * 20 + b"\xa4")
    assert text == "a??\n" * 20, text
    assert newlines.decode(b"\xa2") == "\u3042"
assert refused == 2000, refused
# %%
class Own(io.IncrementalNewlineDecoder):
    def __init__(self):
        super().__init__(None, True)
assert Own().decode("a\r\n", True) == "a\n"
