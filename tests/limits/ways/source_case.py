# The branches of a case, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": "case x in " + "y) : ;; " * 20_000 + "esac"}
