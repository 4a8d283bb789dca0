# Has every value kept in Out, and every source in In.
# limit: memory
# rounds: 30
b"x" * (4 << 20)
