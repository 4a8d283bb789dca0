# Prepares calls that are never made, with large arguments.
# expect: memory
# tools: yes
call = forever.__globals__["__snug_call__"]
kept = []
text = "a" * (10 << 20)
while True:
    kept.append(call({"a": text}))
# %%
del kept
