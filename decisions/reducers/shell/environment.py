"""Which variables are harmless to set.

A variable may carry code, or the name of a program, into whatever reads it, and nobody has the list of all that do.
So this is a list of those that don't; every other is taken for code-bearing (policy case A11).

>>> is_harmless("LC_ALL", exported=True), is_harmless("GIT_PAGER", exported=True)
(True, False)
>>> is_harmless("target_dir", exported=False), is_harmless("PATH", exported=False)
(True, False)
"""

import re

from decisions.reducers.shell.options import names

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
FUNCTION = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)

_HARMLESS = names("""
    CI CLICOLOR CLICOLOR_FORCE COLUMNS DEBIAN_FRONTEND FORCE_COLOR LANG LANGUAGE LINES LOG_LEVEL NODE_ENV NO_COLOR
    PIP_DISABLE_PIP_VERSION_CHECK PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUNBUFFERED RUST_BACKTRACE RUST_LOG
    SOURCE_DATE_EPOCH TERM TZ VERBOSE
    """)
_LOCALE = re.compile(r"LC_[A-Z]+", re.ASCII)
# A plain assignment stays in the shell, unless the name was exported before us. What programs read is upper case by
# custom, but for the proxies and npm's; these upper-case names are commonly a script's own.
_OWN = names("""
    BASE COUNT DATE DEST DIR DST FILE FILENAME FILES I ID IN INDEX INPUT ITEM K LINE N NAME NUM OUT OUTPUT RESULT ROOT
    SCRIPT_DIR SOURCE SRC STATUS TARGET TS URL VALUE VERSION X Y
    """)
_LOWER = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)
_READ_BY_PROGRAMS = re.compile(r"[a-z]+_proxy|npm_.*|histchars|auto_resume|_", re.ASCII)


def is_harmless(name: str, *, exported: bool) -> bool:
    """Whether setting the variable brings code to nobody.

    Args:
        name: the variable.
        exported: whether programs get to see it for certain.
    """
    if name in _HARMLESS or _LOCALE.fullmatch(name):
        return True
    if exported or _READ_BY_PROGRAMS.fullmatch(name):
        return False
    return name in _OWN or _LOWER.fullmatch(name) is not None
