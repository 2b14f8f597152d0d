"""The house itself: packaging, licence, cards, commands, and the one direction of imports."""

import ast
import re
import subprocess
from pathlib import Path

import pytest
import yaml


PACKAGES = ("modeling_stg", "configuration_stg", "dataset_script", "stg")
TOP = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((TOP / "scripts").glob("*.py"))
SOURCES = sorted(
    path for folder in (*PACKAGES, "scripts", "tests", "benchmarks") for path in (TOP / folder).rglob("*.py")
)


def tracked(root: Path) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [root / name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_an_exact_version(root):
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["name"] == "stg-data-to-text" and project["requires-python"] == ">=3.10"
    pins = dict(line.split("==") for line in (root / "constraints.txt").read_text().splitlines() if line)
    wanted = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    assert {normal(name) for name in wanted} <= {normal(name) for name in pins}
    assert pins["torch"] == "2.13.0"  # other versions, and ranges, pull gigabytes of CUDA
    assert not [pin for pin in pins.values() if "+" in pin or "/" in pin]


def test_licence(root):
    text = (root / "LICENSE").read_text()
    assert "Apache License" in text and "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text


def test_model_card(root):
    _, header, body = (root / "README.md").read_text().split("---\n", 2)
    card = yaml.safe_load(header)
    assert (card["license"], card["library_name"]) == ("apache-2.0", "transformers") and card["pipeline_tag"]
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", body):
        assert (root / link).exists(), link


def test_dataset_card(root):
    _, header, _ = (root / "rotowire_modified" / "README.md").read_text().split("---\n", 2)
    configs = yaml.safe_load(header)["configs"]
    assert [config["config_name"] for config in configs] == ["sample", "default", "extra", "partial"]
    assert not list((root / "rotowire_modified").rglob("*.py"))


def test_makefile(root):
    text = (root / "Makefile").read_text()
    targets = dict(re.findall(r"^([a-z]+):(.*)$", text, flags=re.MULTILINE))
    for target in ("demo", "test", "lint", "bench", "app", "figures"):
        assert "setup" in targets[target].split("#")[0], f"make {target} must set up by itself"
    assert "make test" in (root / ".ci" / "run").read_text()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_say_how_they_are_launched(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    assert f"scripts/{script.name}" in (ast.get_docstring(tree) or ""), "the docstring needs the launch command"
    assert f"stg.cli.{script.stem}" in script.read_text(encoding="utf-8")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(TOP)))
def test_files_can_be_read_in_one_sitting(source):
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 450


def imported(path: Path) -> set[str]:
    """The packages of this project that a file imports ("stg.checking" counts as one); relative imports are "."."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {"."} if node.level else {f"{node.module}.{alias.name}" for alias in node.names}
    return {".".join(name.split(".")[: 2 if name.startswith("stg.") else 1]) for name in names}


# A package imports itself and packages of earlier lines, never of later ones.
LAYERS = (
    {"stg.native"},
    {"modeling_stg", "configuration_stg"},
    {"dataset_script"},
    {"stg.extraction"},
    {"stg.metrics"},
    {"stg.checking"},
    {"stg.baselines"},
    {"stg.training"},
    {"stg.analysis"},
    {"stg.app"},
    {"stg.cli"},
    {"scripts", "tests", "benchmarks"},
)


@pytest.mark.parametrize("layer", range(len(LAYERS) - 1))
def test_imports_go_one_way(layer, root):
    later = {name for names in LAYERS[layer + 1 :] for name in names}
    for package in LAYERS[layer]:
        for path in (root / package.replace(".", "/")).rglob("*.py"):
            wrong = imported(path) & later
            assert not wrong, f"{path.relative_to(root)} imports {wrong}"


def test_the_hub_folder_stands_alone(root):
    for path in (root / "modeling_stg").glob("*.py"):
        found = imported(path) - {"stg.native"}
        assert not found & {name for names in LAYERS for name in names}, f"{path.name} must use `from .x import`"
    assert not list((root / "modeling_stg").glob("*/*.py")), "the loader takes flat folders only"


def test_nothing_of_this_machine_is_committed(root):
    for path in tracked(root):
        if (
            path.suffix in (".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".sh", "")
            and path.name != "LICENSE"
        ):
            found = re.search(r"(?<![\w.])/(?:home|root|work|Users)/\w+", path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(root)} names {found.group()}"
