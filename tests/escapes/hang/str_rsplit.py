# str.rsplit by a long separator that almost fits everywhere.
# expect: rung 3 the naive search from the right: stringlib_rsplit
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
("a" * 4_000_000).rsplit("ab" + "a" * 2_000_000)
