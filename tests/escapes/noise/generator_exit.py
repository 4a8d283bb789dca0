# BaseExceptions that nobody expects leave the cell.
# expect: error
# state: kept
# when: run
class Strange(BaseException):
    pass
try:
    raise GeneratorExit
except GeneratorExit:
    raise Strange from KeyboardInterrupt()
