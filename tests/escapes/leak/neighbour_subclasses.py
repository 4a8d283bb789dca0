# A neighbour's class among object's subclasses, its method's globals.
# breach: neighbour
# known 3.11: neighbour
vault, = [c for c in object.__subclasses__() if c.__name__ == "Vault"]
vault.look.__globals__["vault"]
