# An Element is emptied by __eq__, __deepcopy__ or __index__ while it is searched, copied or set: used what was freed.
# expect: ok
# profile: data
import copy
import xml.etree.ElementTree as ET
refused = 0
def clear():
    global refused
    try:
        element.clear()
    except RuntimeError:
        refused += 1
class Tag(str):
    def __eq__(self, other):
        clear()
        return NotImplemented
    __hash__ = str.__hash__
class Child(ET.Element):
    def __eq__(self, other):
        clear()
        return NotImplemented
    def __deepcopy__(self, memo):
        clear()
        return ET.Element("copied")
class At:
    def __index__(self):
        clear()
        return 1
def delete():
    del element[At()]
def put():
    element[At()] = ET.Element("new")
for attack in (lambda: element.find(Tag("y")), lambda: element.findtext(Tag("y")), lambda: element.findall(Tag("y")),
               lambda: element.remove(ET.Element("z")), lambda: copy.deepcopy(element), delete, put):
    element = ET.Element("root")
    element.extend([Child("x"), Child("x"), Child("x")])
    refused = 0
    try:
        attack()
    except ValueError:
        pass
    assert refused, attack
