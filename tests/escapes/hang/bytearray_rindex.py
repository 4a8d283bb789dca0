# bytearray.rindex of a long needle that almost fits everywhere.
# expect: rung 3 the naive search from the right: stringlib_rfind
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
bytearray(b"a" * 4_000_000).rindex(b"ab" + b"a" * 2_000_000)
