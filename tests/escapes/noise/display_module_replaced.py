# What shows values is replaced by code of the cell's own.
# expect: ok or error
# when: display
import sys
try:
    from IPython.display import display as show, HTML
    show.__globals__["rich"] = lambda *args: 1 / 0
    show.__globals__["_publish"] = None
    show.__globals__["main_result"] = lambda value: ([("text/html", value, 5)] * 3, 7)
    show.__globals__["captured"] = 5
except ImportError:
    HTML = str
class Value:
    def _repr_html_(self): return "x"
Value()
# %%
# expect: ok or error
display(Value())
# %%
1 + 1
