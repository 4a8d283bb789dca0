# A text stream is given bytes as the name of a codec: they were read as a str.
# expect: ok
# only: 3.11
import io
text = io.TextIOWrapper(io.BytesIO())
for name in "encoding", "errors":
    fake = bytes(8) + (0x414141414141).to_bytes(8, "little") + bytes(16) + (4).to_bytes(8, "little") * 8
    try:
        text.reconfigure(**{name: fake})
    except TypeError:
        pass
    else:
        assert False, name
text.reconfigure(encoding="latin-1", errors="replace", newline="\n")
assert text.encoding == "latin-1"
