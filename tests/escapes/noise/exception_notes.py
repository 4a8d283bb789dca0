# An exception with a million notes leaves the cell.
# expect: error or memory
# when: report
error = ValueError("noted")
for n in range(500_000):
    error.add_note(f"note {n}")
raise error
