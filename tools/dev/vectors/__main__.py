"""Write ``tests/vectors/tree`` again and drop what the maker no longer makes."""

from pathlib import Path

from tools.dev.vectors import attacks, many, tree

FOLDER = Path(__file__).parents[3] / "tests" / "vectors" / "tree"


def files() -> dict[str, bytes]:
    """Make every file of the folder."""
    return tree.files() | attacks.files() | many.files()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = files()
    for stale in FOLDER.glob("*.json"):
        if stale.name not in made:
            stale.unlink()
    for name, content in made.items():
        (FOLDER / name).write_bytes(content)
    print(f"{len(made)} files in tests/vectors/tree")


if __name__ == "__main__":
    main()
