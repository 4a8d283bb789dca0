# Updates one display again and again with what is as large as may be.
# limit: memory displays answer
from IPython.display import HTML, display
h = display(HTML("x"), display_id="a")
for i in range(400):
    h.update(HTML(f"{i}" + "y" * 250_000))
