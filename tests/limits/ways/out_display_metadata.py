# Displays with metadata that is large and deep.
# limit: displays answer
from IPython.display import display
deep = "x"
for i in range(400):
    deep = {"d": deep}
for i in range(300):
    display({"text/plain": "x"}, raw=True, metadata={"m": "v" * 100_000, "deep": deep})
