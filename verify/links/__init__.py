"""The file of links: how a log came from one name and key to the next, for whoever trusts an earlier one.

Source: DESIGN section 9; docs/spec/links.md.
"""

from verify.links.check import Followed, follow_links
from verify.links.form import SUFFIX, LinksFile, parse_links
from verify.links.maker import make_links

__all__ = ["SUFFIX", "Followed", "LinksFile", "follow_links", "make_links", "parse_links"]
