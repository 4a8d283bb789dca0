# HTML, SVG, Markdown and LaTeX of a MiB each.
# limit: displays
from IPython.display import HTML, SVG, Markdown, Latex, display
for kind in (HTML, Markdown, Latex):
    display(kind("h" * (1 << 20)))
try:
    display(SVG("<svg>" + "s" * (1 << 20) + "</svg>"))
except Exception as error:
    print(error)
