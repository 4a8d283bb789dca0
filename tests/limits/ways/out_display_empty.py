# Displays with nothing in them, which count as nothing.
# limit: displays answer
from IPython.display import display
for i in range(200_000):
    display({}, raw=True)
    display({"a": ""}, raw=True)
