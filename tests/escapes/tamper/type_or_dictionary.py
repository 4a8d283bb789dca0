# The dictionary of int is handed to the other operand of |.
# breach: neighbour
class Other:
    def __ror__(self, names):
        names["escaped"] = 1
        return 1
int.__dict__ | Other()
