"""A wheel that JupyterLite lacks comes from the environment, if it has one."""

import subprocess
from importlib.metadata import version
from types import SimpleNamespace

import pytest
from ldp_sphinx import address, launch
from ldp_sphinx.launch import comm_wheel


def test_a_kept_wheel_is_taken(tmp_path):
    assert comm_wheel(tmp_path) == f"comm=={version('comm')}"
    kept = tmp_path / "wheels" / f"comm-{version('comm')}-py3-none-any.whl"
    kept.parent.mkdir()
    kept.touch()
    (tmp_path / "wheels" / "comm-0.0.1-py3-none-any.whl").touch()
    assert comm_wheel(tmp_path) == str(kept)


@pytest.mark.parametrize(("release", "there"), [("", False), ("v1.2.3", True), ("v1.2.3", False)])
def test_colab_is_offered_only_with_released_notebook(monkeypatch, release, there):
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/book")
    monkeypatch.delenv("BOOK_ADDRESS", raising=False)
    monkeypatch.setattr(address, "RELEASE", release)
    monkeypatch.setattr(launch, "RELEASE", release)
    monkeypatch.setattr(launch, "released", lambda file: there)
    config = SimpleNamespace(html_theme_options={})
    address._configure(None, config)
    assert ("colab_url" in config.html_theme_options["launch_buttons"]) == bool(release)
    colab = {"text": "Colab", "url": "https://colab.example/github/owner/book/blob/main/book/a.ipynb"}
    menu = {"label": "launch-buttons", "buttons": [colab]}
    name = "book/foundations/local-privacy"
    launch._add_button(None, name, "", {"header_buttons": [menu], "pathto": lambda *_: ""}, None)
    assert (colab in menu["buttons"]) == there
    if there:
        assert colab["url"].endswith("/blob/v1.2.3/book/a.ipynb")


def test_a_release_has_the_files_of_its_tag(monkeypatch, tmp_path):
    def git(*words):
        name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    installing = '"%pip install \\"ldpbook[book]==1.2.3\\""'
    (tmp_path / "old.ipynb").write_text(installing)
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    git("tag", "v1.2.3")
    git("tag", "slides-of-a-talk")
    (tmp_path / "new.ipynb").write_text(installing)
    git("add", ".")
    git("commit", "-m", "second")
    monkeypatch.setattr(launch, "RELEASE", "v1.2.3")
    assert [launch.released(f"{name}.ipynb", tmp_path) for name in ("old", "new")] == [True, False]
    for other in ("slides-of-a-talk", ""):  # the notebook of another release would install a missing package
        monkeypatch.setattr(launch, "RELEASE", other)
        assert not launch.released("old.ipynb", tmp_path)
