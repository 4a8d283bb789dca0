# The stop comes in the midst of the first import of a large package.
# expect: rung 1
# when: import
# limit-ms: 23
import asyncio
while True:
    pass
# %%
import re, json, collections
re.findall("a", "banana")
# %%
import asyncio
await asyncio.sleep(0, "goes on")
