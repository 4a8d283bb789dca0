# What describes a displayed object does not end.
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
class Endless:
    def _repr_html_(self):
        while True:
            pass
display(Endless())
