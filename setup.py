"""What pyproject.toml cannot say: the C kernels, and the files that a wheel takes from the root of the repository."""

import ast
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py


ROOT = Path(__file__).resolve().parent
OPENMP = "-fopenmp"
NOT_SHIPPED = shutil.ignore_patterns(".*", "default", "extra", "partial", "BUILD.md", "__pycache__")


def shipped() -> tuple[str, ...]:
    """`SHIPPED` of stg/files.py, which cannot be imported before the project is installed."""
    tree = ast.parse((ROOT / "stg" / "files.py").read_text(encoding="utf-8"))
    targets = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    return ast.literal_eval(targets["SHIPPED"])


class BuildPy(build_py):
    """Also copies examples, configs and data into the package; built RotoWire texts are not ours to ship."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for name in shipped():
                target = Path(self.build_lib) / "stg" / "shipped" / name
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(ROOT / name, target, ignore=NOT_SHIPPED)


class BuildExt(build_ext):
    """Builds a library for ctypes: for all versions of Python, with OpenMP where the compiler has it.

    Where it cannot be compiled at all (MSVC), the installation goes on without it, and torch does its work.
    """

    def get_ext_filename(self, name: str) -> str:
        return f"{name.replace('.', '/')}{'.pyd' if sys.platform == 'win32' else '.so'}"

    def build_extension(self, extension: Extension) -> None:
        if not self._has_openmp():
            print(f"warning: the compiler has no {OPENMP}; decoding uses one thread")
            extension.extra_compile_args.remove(OPENMP)
            extension.extra_link_args.remove(OPENMP)
        super().build_extension(extension)

    def _has_openmp(self) -> bool:
        """Whether a program with OpenMP compiles and links; stock Apple clang has no OpenMP."""
        compiler = getattr(self.compiler, "compiler_so", None)
        if not compiler:
            return False
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "openmp.c"
            source.write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
            command = [compiler[0], OPENMP, str(source), "-o", str(Path(folder) / "openmp")]
            return subprocess.run(command, capture_output=True).returncode == 0


class Wheel(bdist_wheel):
    """Tags the wheel with its platform but no version of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


kernels = Extension(
    "stg.native._kernels",
    ["stg/native/kernels.c"],
    depends=["stg/native/kernels.h"],
    extra_compile_args=["-O3", OPENMP],
    extra_link_args=[OPENMP],
    optional=True,
)
setup(ext_modules=[kernels], cmdclass={"build_py": BuildPy, "build_ext": BuildExt, "bdist_wheel": Wheel})
