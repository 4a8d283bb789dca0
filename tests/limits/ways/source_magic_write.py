# A file that a magic writes, from the cell, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "%%writefile big.txt\n" + "w" * 200_000}
