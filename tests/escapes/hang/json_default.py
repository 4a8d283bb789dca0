# json.dumps asks a default function that never answers.
# expect: rung 1
import json
def default(thing):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
json.dumps([object()], default=default)
