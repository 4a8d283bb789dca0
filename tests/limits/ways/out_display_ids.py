# Displays with long names.
# limit: displays answer
# forms: local worker full
from IPython.display import display
for i in range(300):
    display(i, display_id="i" * 100_000 + str(i))
