# Sessions that are opened, one after the other, and left with nothing in them.
# limit: sessions
# forms: local worker
# %% at once 40
x = 1
