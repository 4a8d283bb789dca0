# Hundreds of handles, each updated to the largest size in turn.
# limit: displays memory
from IPython.display import display
handles = [display({"text/plain": "x"}, raw=True, display_id=str(i)) for i in range(200)]
for h in handles:
    if h:
        h.update({"text/plain": "y" * 100_000}, raw=True)
