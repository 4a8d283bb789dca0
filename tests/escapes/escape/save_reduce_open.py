# A value that is saved as a call that opens a file.
# breach: secret
# when: save
class Opens:
    def __reduce__(self):
        return open, (SECRET_FILE,)
opened = Opens()
# %%
# expect: ok or error
opened.read()
