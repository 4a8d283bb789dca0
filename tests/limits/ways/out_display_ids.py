# Displays with long names.
# limit: displays answer
from IPython.display import display
for i in range(300):
    display(i, display_id="i" * 100_000 + str(i))
