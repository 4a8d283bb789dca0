# A neighbour's names, by the globals of its class's method.
# breach: neighbour
# known 3.11: neighbour
for cls in object.__subclasses__():
    if cls.__name__ == "Vault":
        cls.look.__globals__["keep"].append("escaped")
