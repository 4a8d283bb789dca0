# Control characters, which take four characters in a repr, and six in JSON.
# limit: value answer
"\x00\x1b\x7f" * 1_000_000
