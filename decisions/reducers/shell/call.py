"""One command with its words: what the tables under ``commands`` read from, and note its effects through.

Source: DESIGN section 10; policy cases A05, A07.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from decisions.action import Fact
from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.paths import is_broad, is_sink, scope_of
from decisions.reducers.shell.flow import Flow
from decisions.reducers.shell.jumps import Jumps
from decisions.reducers.shell.options import OptionTable, Parsed, parse
from decisions.reducers.shell.state import Ends, State, both
from decisions.reducers.shell.targets import Target, targets
from decisions.reducers.shell.word import Word
from decisions.reducers.vocabulary import MILDEST
from decisions.reducers.web import web_target


class Reader(Protocol):
    """What reads scripts and commands, seen from one command."""

    effects: Effects
    home: str | None
    links: set[str]
    flow: Flow
    jumps: Jumps
    trapped: bool

    def command(self, words: Sequence[Word], state: State, within: "Within") -> Ends:
        """Reduce a command that another one runs."""

    def script(self, text: str, state: State, within: "Within") -> Ends:
        """Reduce script text that a command runs."""

    def assign(self, name: str, within: "Within", *, exported: bool = True) -> None:
        """Note that a variable is set."""


@dataclass(frozen=True, slots=True)
class Within:
    """What a command inherits from those that run it.

    Attributes:
        part: which piece of the operation this is, for people.
        elevated: whether it runs with more rights than the caller's.
        depth: how many commands and scripts it stands in.
        captured: whether its output goes on: into a pipe, a substitution or a file.
    """

    part: str
    elevated: bool = False
    depth: int = 0
    captured: bool = False


class Call:
    """One command, its arguments, and its effects.

    Attributes:
        name: the command's name.
        words: its arguments.
        state: where the shell stands.
        within: what it inherits.
        ends: the states after it.
    """

    __slots__ = ("_reader", "ends", "name", "noted", "state", "within", "words")

    def __init__(self, reader: Reader, name: str, words: Sequence[Word], state: State, within: Within) -> None:
        self._reader = reader
        self.name = name
        self.words = tuple(words)
        self.state = state
        self.within = within
        self.ends = both(state)
        self.noted = False

    @property
    def home(self) -> str | None:
        """The home directory."""
        return self._reader.home

    def parse(self, table: OptionTable, words: Sequence[Word] | None = None) -> Parsed:
        """Tell options and operands apart; options whose value is a path are noted.

        Raises:
            UnreadableError: an option that isn't known.
        """
        parsed = parse(self.words if words is None else words, table)
        if parsed.loose:
            self.refuse(unresolved("a word that only the shell knows, and that may become an option"))
        for option in parsed.options:
            if option.value is not None and option.use in {"read", "write"}:
                self.files("read" if option.use == "read" else "write", [option.value])
        return parsed

    def files(self, verb: str, words: Iterable[Word], *, many: bool = False, dash: bool = True, **facts: Fact) -> None:
        """Note that the words name files that are acted on.

        Args:
            verb: what is done to them.
            words: the files.
            many: whether more is touched than what the words name, as by a recursive option.
            dash: whether ``-`` means a stream and no file.
            facts: facts that differ from the mildest.
        """
        named = list(words)
        for word in named:
            if dash and word.literal == "-":
                continue
            try:
                for target in targets(word, self.state):
                    self._file(verb, target, many=many or len(named) > 1, **facts)
            except UnreadableError as error:
                self.refuse(error)

    def directory(self, verb: str, *, many: bool = True) -> None:
        """Note an action on the directory that the command runs in."""
        self.files(verb, [Word.of(".")], many=many)

    def file_at(self, verb: str, path: str, *, many: bool = False, **facts: Fact) -> None:
        """Note an action on the file at an absolute path."""
        self._file(verb, Target(path, many), many=many, **facts)

    def link(self, words: Iterable[Word]) -> None:
        """Note that the words name links that this operation makes; nobody can resolve them before it runs."""
        for word in words:
            if word.is_known:
                self._reader.links |= {target.path for target in targets(word, self.state)}

    def run(self, target: str | None = None, **facts: Fact) -> None:
        """Note that a program runs: this one, or the target."""
        self._act("exec", "run", target or f"program:{self.name}", **{"elevated": self.within.elevated, **facts})

    def web(self, verb: str, word: Word, *, egress: bool = False) -> None:
        """Note that a web resource is fetched from or sent to."""
        try:
            if word.literal is None:
                raise unresolved("an address that only the shell knows")
            self._act("network", verb, web_target(word.literal), egress=egress)
        except UnreadableError as error:
            self.refuse(error)

    def infrastructure(self, verb: str, target: str, *, scope: str = "one", egress: bool = False) -> None:
        """Note an action on what runs on somebody's machines.

        Args:
            verb: read, list, create, change, delete or run.
            target: its reference.
            scope: one, many (of what lies below the target) or all.
            egress: whether data goes there that this machine holds.
        """
        self._act("infrastructure", verb, target, scope=scope, elevated=self.within.elevated, egress=egress)

    def data(self, verb: str, target: str, *, scope: str = "one") -> None:
        """Note an action on what a database holds."""
        self._act("data", verb, target, scope=scope)

    def sql(self, text: str, database: str, dialect: str) -> bool:
        """Note what statements do; tell whether they change anything.

        Args:
            text: the statements.
            database: the store that they go to, as it stands in references: ``name@host``, or a path.
            dialect: how they are read.
        """
        # The parser is loaded for those who send statements alone.
        from decisions.reducers.sql import reduce_sql  # noqa: PLC0415

        inner = Effects()
        reduce_sql(inner, text, database=database, dialect=dialect, part=f"{self.within.part}, ")
        self.noted = True
        for found in inner.actions:
            self._act(found.kind, found.verb, found.target, **dict(found.facts))
        self._reader.effects.problems += inner.problems
        return any(found.verb != "read" for found in inner.actions) or bool(inner.problems)

    def jump(self) -> None:
        """Note that this command leads to the end of a loop or a function."""
        if self._reader.jumps.jump(self.name, self.state, far=bool(self.words)):
            self.ends = both(self.state.left())

    def trap(self) -> None:
        """Note that something runs later, whenever a signal comes."""
        self._reader.trapped = True

    def take(self, name: str) -> None:
        """Note that an inherited variable's value is used."""
        self._reader.flow.taker(self.within.part)(name)

    def prints(self, what: str) -> None:
        """Note that this command prints what nobody knows."""
        if self.within.captured:
            self._reader.flow.unread.setdefault(what, self.within.part)

    def refuse(self, error: UnreadableError) -> None:
        """Note what can't be read of this command."""
        if error.code == "TOO_COMPLEX":
            raise error
        self.noted = True
        self._reader.effects.refuse(error, self.within.part)

    def then(self, words: Sequence[Word], *, elevated: bool = False, state: State | None = None) -> Ends:
        """Reduce the command that this one runs."""
        self.noted = True
        within = replace(self.within, elevated=self.within.elevated or elevated, depth=self.within.depth + 1)
        state = state or self.state
        # Another user's home directory is not ours.
        return self._reader.command(words, state.having("HOME", None) if elevated else state, within)

    def script(self, text: str, state: State | None = None) -> Ends:
        """Reduce the script that this command runs."""
        self.noted = True
        within = replace(self.within, depth=self.within.depth + 1)
        return self._reader.script(text, state or self.state, within)

    def assign(self, name: str, *, exported: bool = True) -> None:
        """Note that this command sets a variable, for programs to read if it is exported."""
        self.noted = True
        self._reader.assign(name, self.within, exported=exported)

    def _file(self, verb: str, target: Target, *, many: bool, **facts: Fact) -> None:
        if verb in {"read", "write"} and is_sink(target.path):
            return
        for link in self._reader.links:
            if target.path.startswith(link + "/") or target.path == link:
                itself = target.path in self._reader.links and (self.name == "ln" or (verb == "delete" and not many))
                if not itself:
                    self.refuse(unresolved(f"a way through a link that is made here: {link[:80]}"))
                    return
        wide = many or target.many or (verb == "delete" and is_broad(target.path, self.home))
        scope = scope_of(target.path, self.home, many=wide)
        self._act("file", verb, "file://" + target.path, **{"scope": scope, "elevated": self.within.elevated, **facts})

    def _act(self, kind: str, verb: str, target: str, **facts: Fact) -> None:
        self.noted = True
        self._reader.effects.act(kind, verb, target, self.within.part, **facts)
        if self.within.elevated and "elevated" not in MILDEST[kind]:
            # Whose rights it takes is told by the program that runs.
            self._reader.effects.act("exec", "run", f"program:{self.name}", self.within.part, elevated=True)
