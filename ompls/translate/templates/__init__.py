"""The skeletons of generated files.  A name that a skeleton uses and nobody gives is an error."""

from __future__ import annotations

from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from ompls.analysis.syntax.quoted import c_string, in_comment


@lru_cache(maxsize=1)
def _environment() -> Environment:
    # The output is C, not HTML: nothing is escaped.
    env = Environment(
        loader=PackageLoader("ompls.translate", "templates"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters["cstring"] = c_string
    env.filters["comment"] = in_comment
    return env


def compile_all() -> None:
    """Now, and not each when it is first rendered."""
    for template in _environment().list_templates(("j2",)):
        _environment().get_template(template)


def render(template: str, **values: object) -> str:
    """The template with `values`."""
    return _environment().get_template(template).render(**values)
