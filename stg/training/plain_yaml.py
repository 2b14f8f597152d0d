"""YAML as settings need it: mappings, lists and scalars. No aliases, tags or deep nesting, and no surprises."""

from typing import Any

import yaml


LONGEST = 1_000_000  # characters
DEEPEST = 20  # lists within lists


class NotYaml(ValueError):
    """What is wrong with a text, in a few words."""


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases, whose expansion can be exponential, and explicit tags; reads dates as text."""

    depth = 0

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise NotYaml("aliases (*name) are not supported")
        if getattr(self.peek_event(), "tag", None) not in (None, "!"):
            raise NotYaml(f"tags ({self.peek_event().tag:.30}) are not supported")
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotYaml(f"nested deeper than {DEEPEST} levels")
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":timestamp", ":merge", ":value"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_yaml(text: str) -> Any:
    """Reads a text; raises `NotYaml` for anything that is not plain YAML."""
    if len(text) > LONGEST:
        raise NotYaml(f"{len(text):,} characters; the limit is {LONGEST:,}")
    try:
        return yaml.load(text, Loader=_PlainLoader)
    except NotYaml:
        raise
    # ValueError: "0b_" and numbers of thousands of digits; RecursionError: within the parser itself
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise NotYaml(" ".join(str(error).split())[:200]) from None
