"""A tree as one HTML file that stands by itself: no script, nothing loaded, readable in print and without colours.

Source: docs/guides/explain.md; the Content-Security-Policy forbids everything but the style whose hash it names.
"""

import base64
import hashlib
from html import escape
from typing import Final

from tools.cli.output import safe
from tools.show.branch import Branch

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
ul { list-style: none; margin: 0; padding-left: 1.1rem; border-left: 1px solid #999; }
body > ul { padding-left: 0; border-left: 0; }
li { margin: .15rem 0; overflow-wrap: anywhere; }
li > span { padding: 0 .3rem; }
.head > span { font-weight: 600; }
.true > span { border-left: .25rem solid #1a1; }
.false > span { border-left: .25rem dotted #999; color: #767676; }
.unknown > span { border-left: .25rem dashed #b60; }
.allow > span { border: 1px solid #1a1; }
.hold > span { border: 1px dashed #b60; }
.deny > span { border: 2px solid #c00; }
footer { margin-top: 2rem; font-size: .85rem; }
@media print {
  body { margin: 0; max-width: none; font-size: 10pt; }
  li { break-inside: avoid-page; }
  .false > span { color: inherit; }
}
"""


def page(title: str, tree: Branch, foot: str) -> str:
    """Write the page.

    Args:
        title: its title.
        tree: what it shows; the root stands as its heading.
        foot: one sentence below.
    """
    name = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{name}'; base-uri 'none'; form-action 'none'"
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{_text(tree.text)}</h1>\n<ul>\n"
        + "".join(_item(one) for one in tree.below)
        + f"</ul>\n<footer>{_text(foot)}</footer>\n</body>\n</html>\n"
    )


def _item(tree: Branch) -> str:
    kind = f' class="{tree.mark}"' if tree.mark else ""
    inner = f"\n<ul>\n{''.join(_item(one) for one in tree.below)}</ul>\n" if tree.below else ""
    return f"<li{kind}><span>{_text(tree.text)}</span>{inner}</li>\n"


def _text(text: str) -> str:
    return escape(safe(text), quote=True)
