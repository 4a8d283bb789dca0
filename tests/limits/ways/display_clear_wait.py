# Clears when the next display comes, which never does.
# limit: displays memory
from IPython.display import clear_output
for i in range(2000):
    display({"text/plain": "c" * 50_000}, raw=True)
    clear_output(wait=True)
