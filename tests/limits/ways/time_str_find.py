# Searches that are quadratic.
# limit: wall cpu
# forms: local worker full bash
x = "a" * 4_000_000
(x + "b").rfind("b" + x[:2_000_000])
