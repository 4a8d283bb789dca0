# A byte order mark and an encoding of its own, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "\ufeff# -*- coding: latin-1 -*-\n#" + "\u00e4" * 40_000}
