# A neighbour's class gets another method.
# breach: neighbour
# known 3.11: neighbour
for cls in object.__subclasses__():
    if cls.__name__ == "Vault":
        cls.look = lambda self: "escaped"
