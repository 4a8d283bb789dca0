# Links in a mounted folder: are they files after a restore?
# breach: secret
# when: save
import os
names = os.listdir("data")
# %%
# expect: ok or error or denied
open("data/secret").read()
