# Compiles a hundred thousand parentheses.
# expect: error or memory or recursion
# when: compile
compile("(" * 10**5 + ")" * 10**5, "x", "exec")
