# The importer's path finder lists a folder.
# breach: secret
import inspect
finder = inspect.importlib.machinery.FileFinder(OUTSIDE)
finder.find_spec("x")
finder._path_cache
