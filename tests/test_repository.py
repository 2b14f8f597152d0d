"""The repository: packaging, licence, cards, Makefile, the direction of imports, and patterns that must not return."""

import ast
import re
import subprocess
from pathlib import Path

import pytest
import yaml


PACKAGES = ("modeling_stg", "configuration_stg", "dataset_script", "stg")
TEXT = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".sh", ""}
LONGEST_FILE = 450  # lines
TOP = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((TOP / "scripts").glob("*.py"))
SOURCES = sorted(
    path for folder in (*PACKAGES, "scripts", "tests", "benchmarks") for path in (TOP / folder).rglob("*.py")
)


def git(*arguments: str) -> str:
    """Output of a git command in the repository; the test is skipped outside a checkout."""
    if not (TOP / ".git").exists():
        pytest.skip("not a git checkout")
    return subprocess.run(["git", *arguments], cwd=TOP, capture_output=True, text=True).stdout


def tracked() -> list[Path]:
    return [TOP / name for name in git("ls-files", "-z").split("\0") if name and (TOP / name).is_file()]


def normalized(name: str) -> str:
    """A package name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_dependencies_are_pinned(root):
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["name"] == "stg-data-to-text" and project["requires-python"] == ">=3.10"
    lines = [line for line in (root / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pins = {}
    for line in lines:
        pin, _, marker = line.partition("; ")
        assert marker in ("", 'python_version >= "3.11"', 'python_version < "3.11"'), line
        name, version = pin.split("==")
        pins[normalized(name), marker] = version
    required = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    assert {normalized(name) for name in required} <= {name for name, _ in pins}
    for name, marker in pins:  # one line, or one for each side of the marker
        assert marker == "" or {(name, 'python_version >= "3.11"'), (name, 'python_version < "3.11"')} <= set(pins)
    assert pins["torch", ""] == "2.13.0"  # other versions, and ranges, pull gigabytes of CUDA
    assert not [pin for pin in pins.values() if "+" in pin or "/" in pin]


def test_licence(root):
    text = (root / "LICENSE").read_text()
    assert "Apache License" in text and "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text


def test_model_card(root):
    _, header, _ = (root / "README.md").read_text().split("---\n", 2)
    card = yaml.safe_load(header)
    assert (card["license"], card["library_name"]) == ("apache-2.0", "transformers") and card["pipeline_tag"]


def test_dataset_card(root):
    _, header, _ = (root / "rotowire_modified" / "README.md").read_text().split("---\n", 2)
    configs = yaml.safe_load(header)["configs"]
    assert [config["config_name"] for config in configs] == ["sample", "house", "default", "extra", "partial"]
    assert not list((root / "rotowire_modified").rglob("*.py"))


def test_make_targets_set_up_first(root):
    text = (root / "Makefile").read_text()
    targets = dict(re.findall(r"^([a-z-]+):(.*)$", text, flags=re.MULTILINE))
    for target in ("demo", "test", "lint", "bench", "app", "figures", "data"):
        assert "setup" in targets[target].split("#")[0], f"make {target} must set up by itself"
    assert "make test" in (root / ".ci" / "run").read_text()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_wrappers_with_a_launch_command(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    assert f"scripts/{script.name}" in (ast.get_docstring(tree) or ""), "the docstring needs the launch command"
    assert f"stg.cli.{script.stem}" in script.read_text(encoding="utf-8")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(TOP)))
def test_files_are_short(source):
    assert len(source.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


def imported(path: Path) -> set[str]:
    """Packages that a file imports, sub-packages of stg by two names ("stg.checking"); "." for relative imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {"."} if node.level else {f"{node.module}.{alias.name}" for alias in node.names}
    return {".".join(name.split(".")[: 2 if name.startswith("stg.") else 1]) for name in names}


# A package imports itself and packages of earlier lines, never of later ones. See ARCHITECTURE.md.
LAYERS = (
    {"stg.native"},
    {"stg.data"},
    {"modeling_stg", "configuration_stg"},
    {"stg.files", "stg.outputs", "stg.hub_client"},
    {"stg.converters"},
    {"stg.dataset"},
    {"stg.extraction"},
    {"stg.metrics"},
    {"stg.checking"},
    {"stg.reading"},
    {"stg.baselines"},
    {"stg.loading"},
    {"stg.writing"},
    {"stg.training"},
    {"stg.analysis"},
    {"stg.app"},
    {"stg.cli"},
    {"dataset_script", "space", "scripts", "tests", "benchmarks"},
)


@pytest.mark.parametrize("layer", range(len(LAYERS) - 1))
def test_imports_point_one_way(layer, root):
    later = {name for names in LAYERS[layer + 1 :] for name in names}
    for package in LAYERS[layer]:
        source = root / package.replace(".", "/")
        paths = list(source.rglob("*.py")) if source.is_dir() else [source.with_suffix(".py")]
        assert paths, f"{package} is empty"
        for path in paths:
            wrong = imported(path) & later
            assert not wrong, f"{path.relative_to(root)} imports {wrong}"


def test_every_package_has_a_layer(root):
    layered = {name for names in LAYERS for name in names}
    modules = {f"stg.{path.stem}" for path in (root / "stg").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules - {"stg.__init__", "stg.__pycache__"} <= layered


def test_hub_folder_has_relative_imports_only(root):
    for path in (root / "modeling_stg").glob("*.py"):
        found = imported(path) - {"stg.native"}
        assert not found & {name for names in LAYERS for name in names}, f"{path.name} must use `from .x import`"
    assert not list((root / "modeling_stg").glob("*/*.py")), "the Hub loader takes flat folders only"


def test_no_symlinks():
    links = [line for line in git("ls-files", "--stage").splitlines() if line.startswith("120000")]
    assert not links


@pytest.mark.parametrize(
    "pattern", [r"sys\.path\b", r"__name__ *[!=]= *['\"][A-Z]"], ids=["sys.path", "class by name"]
)
def test_pattern_is_absent(pattern):
    """No edits of the import path, and no comparing of classes by name: both hid a second copy of a module."""
    found = git("grep", "-nE", pattern, "--", "*.py", ":!tests/test_repository.py")
    assert not found, found


def test_no_machine_paths():
    for path in tracked():
        if path.suffix in TEXT and path.name != "LICENSE":
            found = re.search(r"(?<![\w.])/(?:home|root|work|Users)/\w+", path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(TOP)} names {found.group()}"
