"""Builds, tests and package tools: they run code that lies in files, and installing brings code from the network.

Their options are not read one by one: whatever they are, the most that they make is what is noted here. Only what is
listed counts as less: for each tool what merely looks, with a few options, and what runs the project's own code.
Where an argument is known to the shell alone, it counts as the strictest word that it could be.

Source: their manuals.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import names

_BUILDERS = names(
    """
    cmake ninja meson bazel buck gradle gradlew mvn ant rake just task pytest unittest mocha
    jest vitest ctest webpack vite tsc mypy alembic invoke scons pyright coverage flask uvicorn gunicorn celery
    sphinx-build mkdocs hugo pm2 jupyter streamlit venv
    """
)
_PACKAGERS = names(
    """
    pip pipx uv poetry pdm hatch conda mamba npm pnpm yarn cargo go gem bundle composer apt apt-get yum dnf apk
    pacman zypper brew twine snap flatpak nuget dotnet mix cabal stack opam luarocks dpkg rpm rustup nvm pyenv
    ensurepip corepack bun
    """
)
_RUN_ANYTHING = ("npx", "uvx", "bunx", "pnpx", "tox", "nox", "pre-commit")
_CODE = ("vagrant", "ansible")

_NODE = names("ls list view info show outdated search why version")
_SYSTEM = names("list show search info policy")
_LOOKS: Mapping[str, frozenset[str]] = {
    "pip": names("list show freeze check"),
    "pipx": names("list"),
    "uv": names("tree"),
    "poetry": names("show check"),
    "conda": names("list info search"),
    "mamba": names("list info search"),
    "npm": _NODE,
    "pnpm": _NODE,
    "yarn": _NODE,
    "cargo": names("tree search info version"),
    "go": names("version list"),
    "gem": names("list search info outdated"),
    "apt": _SYSTEM,
    "yum": _SYSTEM,
    "dnf": _SYSTEM,
    "brew": names("list info search outdated"),
    "apk": names("info list search"),
    "snap": names("list info find"),
    "flatpak": names("list info search"),
    "rpm": names("-q -qa -qi -ql -qf"),
    "dpkg": names("-l -L -s -S"),
    "pacman": names("-Q -Qi -Ql -Qs"),
}
# Alone, these print and leave.
_ASKS = names("--version --help -h -v -V help")
# Beside these words, an option may change what is done: only these don't.
_MILD_OPTION = re.compile(
    r"-[acghlnoqwAp]|--(?:all|all-namespaces|help|json|global|local|outdated|installed|upgradable|long|depth|format"
    r"|tail|since|filter|namespace|output|selector|no-trunc|tree|columns|no-stream|follow)(?:=[^=]*)?|-m|-u",
    re.ASCII,
)
# What runs the project's own code.
_LOCAL = names("""
    run test t tst build start stop restart remove rm uninstall clean fmt vet lint format typecheck dev check clippy doc
    bench pack version config cache mod env work serve watch list ls show info
    """)
_INSTALLS = names(
    "install i add ci update upgrade up exec dlx x create init sync self-update dist-upgrade full-upgrade "
    "fetch get download tool run-script --install -i -S -U build-dep reinstall require global toolchain "
    "restore bootstrap --with --with-editable --with-requirements"
)
_SENDS = names(
    "publish push upload login deploy unpublish deprecate cp yank owner dist-tag token access adduser logout"
)
# They fetch what they run, or what they lack, whatever they are told.
_FETCHERS = names("pipx corepack ensurepip")


def _build(call: Call) -> None:
    call.run(code_origin="file")


def _package(call: Call) -> None:
    texts = [word.literal for word in call.words]
    known = [text for text in texts if text is not None]
    if len(known) == len(texts) and _only_looks(call.name, known):
        call.run()
        return
    first = next((text for text in known if not text.startswith("-")), "")
    local = first in _LOCAL and call.name not in _FETCHERS and not any("@" in text for text in known)
    fetches = not local or len(known) < len(texts) or any(text in _INSTALLS for text in known)
    sends = _may_send(texts)
    if sends:
        call.directory("read")
    call.run(code_origin="untrusted" if fetches else "file", egress=sends)


def _anything(call: Call) -> None:
    call.run(code_origin="untrusted")


def _code(call: Call) -> None:
    call.run(code_origin="inline", egress=_may_send([word.literal for word in call.words]))


def _only_looks(name: str, texts: Sequence[str]) -> bool:
    """Whether a tool is merely asked for something."""
    if not texts:
        return False
    first, *rest = texts
    if not rest and first in _ASKS:
        return True
    if first not in _LOOKS.get(name, ()) or (first == "version" and rest):
        return False
    return all(not text.startswith("-") or _MILD_OPTION.fullmatch(text) for text in rest) and "file=" not in str(rest)


def _may_send(texts: Sequence[str | None]) -> bool:
    return any(text is not None and text in _SENDS for text in texts)


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_BUILDERS, _build),
    **dict.fromkeys(_PACKAGERS, _package),
    **dict.fromkeys(_RUN_ANYTHING, _anything),
    **dict.fromkeys(_CODE, _code),
}
