# A table of copyreg that saves a harmless type as a call of open.
# breach: secret
# when: save
import copyreg
class Plain:
    pass
copyreg.pickle(Plain, lambda plain: (open, (SECRET_FILE,)))
plain = Plain()
# %%
# expect: ok or error
plain.read()
