# Recursion without a name.
# expect: recursion
# state: kept
# when: run
(lambda f: f(f))(lambda f: f(f))
