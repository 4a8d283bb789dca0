# Leaves cycles with finalizers behind for later cells to collect.
# expect: ok
# when: finalizer
class Node:
    def __init__(self):
        self.me = self
    def __del__(self):
        Node.count = getattr(Node, "count", 0) + 1
for _ in range(10_000):
    Node()
# %%
Node.count > 0
