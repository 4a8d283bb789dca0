# bytes.rfind of a long needle that almost fits everywhere: quadratic.
# expect: rung 3 the naive search from the right: stringlib_rfind
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
(b"a" * 4_000_000).rfind(b"ab" + b"a" * 2_000_000)
