# A file that %run runs, which is not the cell.
# limit: memory
# options: --source 64KB
open("long.py", "w").write("x = 1\n" * 100_000)
# %% cell
%run long.py
