# The cell itself takes the compiler long: nested finally clauses.
# limit: wall cpu
# %% send {"session": session, "code": "\n".join("  " * i + "try:" for i in range(19)) + "\n" + "  " * 19 + "pass\n" + "\n".join("  " * i + "finally: pass" for i in range(18, -1, -1))}
# %% send {"session": session, "code": "x = [" + "(" * 180 + "1," * 100_000 + ")" * 180 + "]\n" + "y = " + " + ".join(["1"] * 90_000)}
