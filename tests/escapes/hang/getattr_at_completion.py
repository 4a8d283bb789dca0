# A property loops when a prompt asks for completions.
# expect: rung 1
# when: complete
class Thing:
    def __dir__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
thing = Thing()
# %%
thing.
