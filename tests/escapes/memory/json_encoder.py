# json's encoder in C, with an encoder of strings that empties the dict: used freed values.
# expect: ok
# only: 3.13+
import json.encoder
class Value(str):
    is_dead = False
    def __del__(self):
        Value.is_dead = True
def encode(text):
    assert not Value.is_dead, "the text is freed"
    table.clear()
    return "x"
table = {f"key {n}": Value("text") for n in range(20)}
try:
    json.encoder.c_make_encoder(None, None, encode, None, ":", ",", False, False, True)(table, 0)
except TypeError:
    pass
assert json.dumps({"a": [1, "b", None]}) == '{"a": [1, "b", null]}'
