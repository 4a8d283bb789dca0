# The importer's own stat.
# breach: setting inode
import inspect
inspect.importlib._bootstrap_external._path_stat(SECRET_FILE).st_ino
