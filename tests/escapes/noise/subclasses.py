# Walks all classes that object knows and pokes at them: on 3.11 those of other sessions too.
# expect: ok or error or denied
names = [kind.__name__ for kind in object.__subclasses__()]
len(names) > 10
