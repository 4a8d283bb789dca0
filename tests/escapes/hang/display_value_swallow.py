# The value's own bundle swallows whatever ends it, for ever.
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
class Swallow:
    def _repr_mimebundle_(self, **ignored):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
display(Swallow())
Swallow()
