# A document in the source, which is not a command, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": "cat >/dev/null <<E\n" + "h" * 200_000 + "\nE"}
