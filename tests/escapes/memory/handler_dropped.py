# A list that only a parser's handler has is dropped when that is set to another one within a call.
# expect: ok
# profile: data
# expect short: ok or error or crash or died
from xml.parsers import expat
class Value:
    def __eq__(self, other):
        parser.CharacterDataHandler = None
        asked.append(other)
        return False
asked = []
parser = expat.ParserCreate()
parser.CharacterDataHandler = [Value() for _ in range(200)].remove
try:
    parser.Parse("<a>text</a>", True)
except ValueError:
    assert len(asked) == 200
