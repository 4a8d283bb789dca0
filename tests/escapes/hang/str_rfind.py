# str.rfind of a long needle that almost fits everywhere: quadratic.
# expect: rung 3 the naive search from the right: FASTSEARCH with FAST_RSEARCH
# state: lost
# when: run
("a" * 4_000_000).rfind("ab" + "a" * 2_000_000)
