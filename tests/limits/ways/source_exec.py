# Source that the cell makes itself, larger than a cell may be.
# limit: memory
# forms: local worker full bash
exec("x = 1\n" * 3_000_000)
