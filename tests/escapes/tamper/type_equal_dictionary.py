# The dictionary of str is handed to the other operand of ==.
# breach: neighbour
# state: kept
class Other:
    def __eq__(self, names):
        names["escaped"] = 1
        return True
str.__dict__ == Other()
