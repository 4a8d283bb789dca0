# In, linecache and the file names of code tell of other sources than ran.
# expect: ok
# when: save
# cell: 2
def answer():
    return 42
class Answer:
    value = 42
# %%
import linecache
for number in range(1, len(In)):
    In[number] = "def answer():\n    return 'other'\nclass Answer:\n    value = 'other'\n"
linecache.cache.clear()
linecache.cache["<cell 2>"] = (10, None, ["def answer(): return 'other'\n"], "<cell 2>")
exec(compile("def other(): return 1", "<cell 2>", "exec"))
# %%
assert answer() == 42 and Answer.value == 42 and "return 42" in "".join(In), (answer(), In)
