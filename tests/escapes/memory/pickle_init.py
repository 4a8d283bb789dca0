# An Unpickler, and a Pickler, are made again while they work: they went on in what was freed.
# expect: ok
# profile: data
import io
import pickle
class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        global refused
        try:
            self.__init__(io.BytesIO(b"N."))
        except RuntimeError:
            refused += 1
        return dict
class Writer(pickle.Pickler):
    def persistent_id(self, value):
        global refused
        for attack in (self.clear_memo, lambda: self.__init__(io.BytesIO())):
            try:
                attack()
            except RuntimeError:
                refused += 1
refused = 0
assert Reader(io.BytesIO(pickle.dumps([dict, 1]))).load() == [dict, 1] and refused == 1
refused = 0
target = io.BytesIO()
Writer(target).dump([[], 1])
assert pickle.loads(target.getvalue()) == [[], 1] and refused == 6
