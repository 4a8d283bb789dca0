# A dict of dicts that makes its next level whenever it is asked.
# expect: memory
import collections
def tree():
    return collections.defaultdict(tree)
root = node = tree()
while True:
    node = node["x" * 100]
