# Each cell's value is the last one's, twice.
# limit: value memory
# rounds: 25
[_ if "_" in globals() else "x" * 100] * 2
