# BaseExceptions that nobody expects leave the cell.
# expect: error
class Strange(BaseException):
    pass
try:
    raise GeneratorExit
except GeneratorExit:
    raise Strange from KeyboardInterrupt()
