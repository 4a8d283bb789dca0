# The dictionary of str is handed to the other operand of ==, from 3.15 on to what a proxy there holds.
# breach: neighbour
import types
class Other(dict):
    def __eq__(self, names):
        names["escaped"] = 1
        return True
str.__dict__ == Other(), str.__dict__ == types.MappingProxyType(Other())
