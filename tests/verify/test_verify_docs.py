"""What the guide and the specification say is what the command does."""

from pathlib import Path

from tools.dev import golden_export
from tools.dev.golden_bundle import FOLDER
from verify.bundle import form, parts
from verify.check import CHECKS
from verify.cli import run
from verify.export import CHECKS as EXPORT_CHECKS
from verify.export import form as export
from verify.text import visible

DOCS = Path(__file__).parents[2] / "docs"


def test_output_in_the_guide_is_the_output(capsys):
    guide = (DOCS / "guides" / "verify.md").read_text()
    files = ["--policy", str(FOLDER / "log.policy"), "--signers", str(FOLDER / "human.signers")]
    assert run(["bundle", str(FOLDER / "allow-by-consent-disclosed.bundle"), *files]) == 0
    shown = capsys.readouterr().out.partition("\n\nNot proven")[0]
    assert f"```\n{shown}\n```" in guide


def test_every_check_and_bound_is_specified():
    spec = (DOCS / "spec" / "bundle.md").read_text()
    assert [line.split(" | ")[0].removeprefix("| ") for line in spec.splitlines() if is_check(line)] == list(CHECKS)
    assert f"`{form.FORMAT}`, and {form.VERSION}, or {form.VERSION_WITH_LINKS} where there are links" in spec
    assert f"{form.MAX_BYTES // 2**20} MiB, {parts.MAX_EVENTS:,} events, {form.MAX_DISCLOSURES:,} disclosures" in spec


def is_check(line):
    return line.startswith(tuple(f"| {check} |" for check in CHECKS))


def test_output_for_a_whole_log_in_the_guide_is_the_output(capsys):
    guide = (DOCS / "guides" / "verify.md").read_text()
    files = ["--policy", str(FOLDER / "witnessed.policy"), "--signers", str(FOLDER / "human.signers")]
    assert run(["log", str(golden_export.FOLDER), *files]) == 0
    shown = capsys.readouterr().out.partition("\n\nNot proven")[0]
    assert f"```\n{shown}\n```" in guide


def test_form_of_an_export_is_specified():
    spec = (DOCS / "spec" / "export.md").read_text()
    told = [
        name for line in spec.splitlines() if line.startswith("| ") for name in line.split(" | ")[0][2:].split(", ")
    ]
    assert [name for name in told if name in EXPORT_CHECKS] == list(EXPORT_CHECKS)
    assert f"`{export.FORMAT}` and {export.VERSION}" in spec
    assert f"{export.CHUNK:,}; a power of two from {export.SMALLEST_CHUNK} to {export.CHUNK:,} is read" in spec
    assert f"The index has at most {export.MAX_INDEX // 2**20} MiB" in spec
    assert f"checkpoints have at most {export.MAX_LINE // 2**20} MiB" in spec


def test_every_exit_code_is_in_the_guide():
    guide = (DOCS / "guides" / "verify.md").read_text()
    assert all(f"| {code} | " in guide for code in (0, 1, 2, 3, 6))


def test_text_is_escaped_beyond_the_first_plane_too():
    assert visible("\U000e0001\u00ad\u2028 é漢") == r"\U000e0001\u00ad\u2028 é漢"
