# Takes the work directory away from under the session, as far as it goes.
# expect: ok
# profile: data
import os, shutil
open("a", "w").close()
shutil.rmtree(os.getcwd(), ignore_errors=True)
try:
    os.rmdir(os.getcwd())
except OSError:
    pass
# %%
try:
    os.rename(os.getcwd(), os.getcwd() + "-other")
except OSError:
    pass
# %%
# expect: ok or error
open("b", "w").close()
