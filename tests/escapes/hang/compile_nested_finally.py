# A try block in the finally of another, twenty-four deep: the compiler doubles each.
# expect: rung 2 or memory or error
# when: compile
nested = "a = b + c\n"
for level in range(24):
    nested = "try:\n pass\nfinally:\n" + "".join(" " + line + "\n" for line in nested.splitlines())
compile(nested, "<nested>", "exec")
