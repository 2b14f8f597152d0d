"""The files that come with the project: in a checkout at its root, in an installed wheel inside the package.

`setup.py` copies `SHIPPED` into wheels. Nothing is ever written there.
"""

from pathlib import Path

from modeling_stg.errors import StgError


_PACKAGE = Path(__file__).resolve().parent
CHECKOUT = _PACKAGE.parent if (_PACKAGE.parent / "pyproject.toml").is_file() else None
SHIPPED = ("examples", "configs", "rotowire_modified")


def shipped(name: str) -> Path:
    """The path of a file or folder of the project, such as "examples/bucks_at_knicks.json" or "modeling_stg"."""
    if CHECKOUT is not None:
        return CHECKOUT / name
    inside = Path(name).parts[0] in SHIPPED
    return _PACKAGE / "shipped" / name if inside else _PACKAGE.parent / name


def project_path(path: str) -> str:
    """A user's path or, if there is no such file, the project's own: commands of the README run anywhere.

    Example:
        >>> read_games(project_path("examples/bucks_at_knicks.json"))
    """
    ours = Path(path).parts[:1] and Path(path).parts[0] in (*SHIPPED, "modeling_stg")
    return str(shipped(path)) if ours and not Path(path).exists() and shipped(path).exists() else path


def require_checkout(command: str) -> Path:
    """The root of the checkout; raises for commands that maintain the repository where there is none."""
    if CHECKOUT is None:
        raise StgError(f"stg {command}: maintains the repository; run it in a checkout, after pip install -e .")
    return CHECKOUT
