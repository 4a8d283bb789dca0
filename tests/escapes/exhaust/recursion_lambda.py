# Recursion without a name.
# expect: recursion
(lambda f: f(f))(lambda f: f(f))
