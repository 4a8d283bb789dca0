# Makes as many files as the session may have, again and again: each look goes over all of them.
# expect: ok
# profile: data
for i in range(900):
    open(f"{i}.txt", "w").close()
# %%
open("0.txt", "a").write("x")
# %%
for i in range(900):
    open(f"{i}.txt", "a").write("x")
