"""Rule sets drawn by a seed: for oracles that are too slow to shrink what they find."""

from dataclasses import replace

from decisions.analysis import Rules
from decisions.constitution import default
from decisions.constitution.fraction import ONE
from decisions.constitution.model import TrustClass
from tests.decisions.analysis.laws import grant, law, slim

ATOMS = (
    'environment == "dev"',
    'environment in ["dev", "prod"]',
    'environment != "prod"',
    "present(environment)",
    'reversibility == "irreversible"',
    'reversibility != "irreversible"',
    'scope == "one"',
    "size < 10",
    "size >= 10 and size != 50",
    'label == "a"',
    'label != "b"',
    'stated == "bad"',
    "asked",
    "authenticated",
    'trust == "unmet"',
    'trust != "met"',
    'under(target, "db://prod/users")',
    'target == "db://prod/users"',
    'verb == "speak"',
)
CLAIMS = ("stated", "asked")
EFFECTS = ("forbid", "require_consent", "permit")


def condition(random, atoms, depth=2):
    """Draw a condition."""
    sort = random.random()
    if depth == 0 or sort < 0.4:
        return random.choice(atoms)
    if sort < 0.55:
        return f"not ({condition(random, atoms, depth - 1)})"
    joined = random.choice(["and", "or"])
    return f"({condition(random, atoms, depth - 1)}) {joined} ({condition(random, atoms, depth - 1)})"


def rules(random):
    """Draw a constitution of a few rules on one verb, and up to two standing grants."""
    trusted = [atom for atom in ATOMS if not atom.startswith(CLAIMS)]
    rows = [
        (effect, condition(random, trusted if effect == "permit" else ATOMS), random.choice(["I", "VI"]))
        for effect in random.choices(EFFECTS, k=random.randint(1, 5))
    ]
    gate = random.choice([ONE // 2, ONE // 4, None])
    classes = [TrustClass("talk", "ladder" if gate else "closed", gate, frozenset({"speak"}), None)]
    grants = tuple(
        grant(
            condition(random, trusted),
            targets=random.choice(["db://prod/**", "db://prod/users"]),
            verbs=("speak",),
            expires=random.choice([None, "2027-01-01T00:00:00.000000Z"]),
        )
        for _ in range(random.randint(0, 2))
    )
    made = law(*rows, kinds={"data": ("speak",)}, classes=classes)
    read = {name for rule in made.rules for name in rule.when.reads} | {"authenticated", "environment", "reversibility"}
    return Rules(made if grants else slim(made, read | {"trust"}), grants)


def changed_default(random):
    """Draw a change of the constitution that ships: a rule less, of another effect, or with a part turned round."""
    constitution = default()
    rule = random.choice(constitution.rules)
    effect = random.choice([None, *(one for one in EFFECTS if one != rule.effect)])
    if effect == "permit" and rule.claims_payload:
        effect = None
    articles = tuple(
        replace(
            article,
            rules=tuple(
                replace(one, effect=effect) if one is rule else one
                for one in article.rules
                if one is not rule or effect is not None
            ),
        )
        for article in constitution.articles
    )
    return Rules(constitution), Rules(replace(constitution, articles=articles))


def without_one(random, rules):
    """Leave one rule out."""
    (article,) = rules.constitution.articles
    left = list(article.rules)
    left.pop(random.randrange(len(left)))
    return replace(rules, constitution=replace(rules.constitution, articles=(replace(article, rules=tuple(left)),)))
