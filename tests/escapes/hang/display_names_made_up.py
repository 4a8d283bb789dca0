# An object that answers every name, and each without end.
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
class Any:
    def __getattr__(self, name):
        while True:
            pass
display(Any())
