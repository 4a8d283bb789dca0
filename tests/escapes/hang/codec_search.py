# A codec search function that never answers.
# expect: rung 1
import codecs
def search(name):
    while name.startswith("escape"):
        pass
codecs.register(search)
"text".encode("escape_codec")
