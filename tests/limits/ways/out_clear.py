# Clears what it has shown and shows it again, thousands of times.
# limit: displays answer memory
from IPython.display import clear_output, display, HTML
for i in range(3000):
    display(HTML("c" * 100_000))
    clear_output()
    print("x" * 1000)
