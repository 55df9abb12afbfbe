"""Builds, tests and package tools: they run code that lies in files, and installing brings code from the network.

Their options are not read one by one: whatever they are, the most that they make is what is noted here. Where an
argument is known to the shell alone, it counts as the strictest word that it could be.

Source: their manuals.
"""

from collections.abc import Callable

from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import names

_BUILDERS = names(
    """
    make gmake cmake ninja meson bazel buck gradle gradlew mvn ant rake just task tox nox pytest unittest mocha
    jest vitest ctest webpack vite tsc eslint prettier rustc gcc g++ clang cc ld javac venv mypy ruff black
    alembic invoke scons
    """
)
_PACKAGERS = names(
    """
    pip pipx uv poetry pdm hatch conda mamba npm pnpm yarn cargo go gem bundle composer apt apt-get yum dnf apk
    pacman zypper brew snap flatpak nuget dotnet mix cabal stack opam luarocks dpkg rpm rustup nvm pyenv
    ensurepip corepack
    """
)
_RUN_ANYTHING = ("npx", "uvx", "bunx", "pnpx")
_CONTAINERS = ("docker", "podman", "nerdctl", "kubectl", "helm", "docker-compose", "vagrant", "ansible", "terraform")
_LOOKS = names(
    "list ls show view freeze outdated search info why tree version --version -v -V help --help check query "
    "images ps logs get describe inspect status config-view plan validate"
)
_INSTALLS = names(
    "install i add ci update upgrade up exec dlx x create init sync self-update dist-upgrade full-upgrade "
    "fetch get download tool run-script --install -i -S -U build-dep reinstall require global toolchain "
    "restore bootstrap"
)


def _build(call: Call) -> None:
    call.run(code_origin="file")


def _package(call: Call) -> None:
    texts = [word.literal for word in call.words]
    if any(text is None or text in _INSTALLS for text in texts):
        call.run(code_origin="untrusted")
    elif texts and texts[0] in _LOOKS:
        call.run()
    else:
        call.run(code_origin="file")


def _anything(call: Call) -> None:
    call.run(code_origin="untrusted")


def _container(call: Call) -> None:
    texts = [word.literal for word in call.words]
    call.run(code_origin="program" if texts and texts[0] in _LOOKS and None not in texts else "inline")


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_BUILDERS, _build),
    **dict.fromkeys(_PACKAGERS, _package),
    **dict.fromkeys(_RUN_ANYTHING, _anything),
    **dict.fromkeys(_CONTAINERS, _container),
}
