"""The story, chapter by chapter.

Source: issue 2 section 7.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tools.demo import deciding, proving, trusting
from tools.demo.page import Page
from tools.demo.stage import Stage

CHAPTERS: Final[tuple[tuple[str, Callable[[Stage, Page], None]], ...]] = (
    ("A ledger begins", deciding.begin),
    ("A test fixture is deleted, and nobody is asked", deciding.work),
    ("DELETE FROM users, in production", deciding.wipe),
    ("One row, and a human is asked", deciding.held),
    ("The human consents, and the consent is used up", deciding.consent),
    ("The same again", deciding.again),
    ("What an injected agent tries", deciding.attacks),
    ("The library reader's bad night", trusting.bad_night),
    ("The states are folded again", proving.folded),
    ("Evidence for an auditor", proving.exported),
    ("One byte is flipped", proving.flipped),
    ("Everything is decided again", proving.replays),
)


def tell(folder: Path) -> Iterator[Page]:
    """Play the story in a directory, and give each chapter as it has happened.

    A chapter that does not come out as it must is the last.
    """
    stage = Stage(folder)
    try:
        for number, (title, chapter) in enumerate(CHAPTERS, start=1):
            page = Page(number, title)
            chapter(stage, page)
            yield page
            if not page.holds:
                return
    finally:
        stage.close()
