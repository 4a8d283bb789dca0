# Prints objects whose text is long, with long separators and ends.
# limit: output
# forms: local worker full bash
print(*["o" * 100_000] * 50, sep="s" * 100_000, end="e" * 1_000_000)
