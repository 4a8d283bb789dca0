# __deepcopy__ makes a new object to copy each time.
# expect: rung 1
import copy
class Endless:
    def __deepcopy__(self, memo):
        while True:
            copy.copy([Endless()])
copy.deepcopy([Endless()])
