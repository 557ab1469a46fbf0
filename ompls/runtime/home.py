"""The user's home directory.

`os.path.expanduser` makes `/.cache` of `~/.cache` where HOME is empty, and a directory of the working one where it is
relative, or where nobody has an account: files would be where nobody meant them.
"""

import os
from typing import Optional

from .errors import RuntimeProblem


def home() -> Optional[str]:
    """HOME, else the account's; None where that is no absolute path."""
    given = os.environ.get("HOME")
    found = os.path.expanduser("~") if given is None or os.path.isabs(given) else ""
    return found if os.path.isabs(found) else None


def under_home(path: str, variable: str) -> str:
    """A path in the home directory.  Raises RuntimeProblem where there is none; `variable` does without it."""
    base = home()
    if base is None:
        given = os.environ.get("HOME")
        why = "there is no account" if given is None else "HOME is '{}'".format(given)
        hint = "set HOME or {} to an absolute path".format(variable)
        raise RuntimeProblem("cannot find your home directory", why, hint)
    return os.path.join(base, path)
