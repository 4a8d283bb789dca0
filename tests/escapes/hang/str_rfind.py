# str.rfind of a long needle that almost fits everywhere: quadratic.
# expect: rung 3 the naive search from the right: FASTSEARCH with FAST_RSEARCH
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
("a" * 4_000_000).rfind("ab" + "a" * 2_000_000)
