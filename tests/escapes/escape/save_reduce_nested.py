# A value in whose state is a call that reads a file, through a map.
# breach: secret
# when: save
class Reads:
    def __reduce__(self):
        return list, (map(open, [SECRET_FILE]),)
class Holds:
    pass
held = Holds()
held.text = {"k": (Reads(),)}
# %%
# expect: ok or error
held.text["k"][0][0].read()
