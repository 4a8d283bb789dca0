# Puts what is large into the metadata of displays and into JSON data.
# limit: memory displays answer
from IPython.display import display
for i in range(30):
    display({"text/plain": "x", "application/json": {"k" * (1 << 20): ["v" * (1 << 20)] * 10}},
            metadata={"m" * 1000: "x" * (8 << 20)}, raw=True)
