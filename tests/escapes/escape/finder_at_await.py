# A finder of sys.meta_path runs while the host imports for the first await.
# breach: secret
import sys
found = []
class Finder:
    def find_spec(self, name, path=None, target=None):
        try:
            with open(SECRET_FILE) as file:
                found.append(file.read())
        except Exception as error:
            found.append(type(error))
for name in [name for name in sys.modules if name.startswith("asyncio")]:
    del sys.modules[name]
sys.meta_path.insert(0, Finder())
# %%
# expect: ok or error or denied
class Ready:
    def __await__(self):
        return iter(())
await Ready()
# %%
found
