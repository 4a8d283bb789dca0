# A little below the limit in each of many cells.
# limit: output
# forms: local worker full bash
# rounds: 20
print("n" * 16_000)
