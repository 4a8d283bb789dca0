# traceback.format_exc of an exception whose str swallows and loops.
# expect: rung 1
import traceback
class Endless(Exception):
    def __str__(self):
        while True:
            pass
while True:
    try:
        raise Endless
    except Endless:
        traceback.format_exc()
