# Displays of ten megabytes each, without end.
# expect: rung 1
# when: display
try:
    display
except NameError:
    def display(*values, **ignored):
        for value in values:
            for name in ("_repr_mimebundle_", "_repr_html_", "_repr_pretty_", "_ipython_display_"):
                if hasattr(value, name):
                    getattr(value, name)(*[None, None][:2 * (name == "_repr_pretty_")])
kept = []
def show(text):
    try:
        display({"text/plain": text}, raw=True)
    except TypeError:
        kept.append(text)
n = 0
while True:
    n += 1
    show(str(n) * 2_000_000)
