# Holds the memory where no name reaches it: in the traceback of the last error.
# expect: memory
def eat():
    local = []
    while True:
        local.append(bytearray(10**5))
eat()
# %%
again = bytearray(100 * 10**6)
len(again)
