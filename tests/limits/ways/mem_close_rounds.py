# Fills its memory in cycles and is closed and opened again, round after round.
# limit: memory
# rounds: 12
class Node:
    pass
keep = []
for i in range(50):
    n = Node()
    n.me, n.data = n, bytes([i]) * (1 << 20)
    keep.append(n)
# %% close
