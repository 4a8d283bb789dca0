# Compiles a million assignments: the parser and the compiler in C.
# expect: rung 2 or memory
# when: compile
compile("x = y + 1\n" * 3_000_000, "<large>", "exec")
