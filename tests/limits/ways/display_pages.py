# Displays of what a page has: scripts, styles and frames.
# limit: displays
from IPython.display import HTML, display
for tag in ('script', 'style', 'iframe'):
    display(HTML(f'<{tag}>' + 'p' * 300_000 + f'</{tag}>'))
