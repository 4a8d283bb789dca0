# Compiles one expression of a million terms.
# expect: rung 2 or memory or recursion or error
# when: compile
compile("x = [" + "a + b * (c - d), " * 1_500_000 + "]", "<large>", "exec")
