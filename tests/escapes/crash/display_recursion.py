# What describes an object displays the object.
# expect: recursion or memory or rung 2
# when: display
try:
    display
except NameError:
    def display(*values, **ignored):
        for value in values:
            for name in ("_repr_mimebundle_", "_repr_html_", "_repr_pretty_", "_ipython_display_"):
                if hasattr(value, name):
                    getattr(value, name)(*[None, None][:2 * (name == "_repr_pretty_")])
class Mirror:
    def _ipython_display_(self):
        display(self)
display(Mirror())
