# Displays with long kinds.
# limit: displays answer
from IPython.display import display
for i in range(300):
    display({"text/" + "m" * 100_000 + str(i): "x"}, raw=True)
