# print to an object of the cell's own whose write never ends.
# expect: rung 1
import sys
class Endless:
    def write(self, text):
        while True:
            pass
    def flush(self):
        pass
sys.stdout = Endless()
print("hello")
