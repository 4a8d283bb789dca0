# Pickles with a memo of millions of entries.
# limit: memory
# forms: local worker full bash
import pickle
x = [[i] for i in range(300_000)]
keep = []
while True:
    p = pickle.Pickler(__import__("io").BytesIO())
    p.dump(x)
    keep.append(p)
