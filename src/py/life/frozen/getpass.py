"""What a cell gets for `import getpass`: the host asks, and does not show what is typed."""
import _snug

__all__ = ["getpass", "getuser", "GetPassWarning"]


class GetPassWarning(UserWarning):
    """Of Python's own getpass, where it cannot hide what is typed."""


def getpass(prompt="Password: ", stream=None, *, echo_char=None):
    """Ask whoever runs the cell for a line that is not seen while it is typed."""
    return _snug.secret(prompt)


def getuser():
    """A session has no users."""
    raise OSError("No username set in the environment: a session has no users")
