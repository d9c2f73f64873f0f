"""The wheel that JupyterLite lacks comes from the environment where it has one."""

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


@pytest.mark.parametrize("release", ["", "v1.2.3"])
def test_colab_is_offered_only_with_a_release_and_then_its_own_notebook(monkeypatch, release):
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/book")
    monkeypatch.setattr(address, "RELEASE", release)
    monkeypatch.setattr(launch, "RELEASE", release)
    config = SimpleNamespace(html_theme_options={})
    address._configure(None, config)
    assert ("colab_url" in config.html_theme_options["launch_buttons"]) == bool(release)
    colab = {"text": "Colab", "url": "https://colab.example/github/owner/book/blob/main/book/a.ipynb"}
    menu = {"label": "launch-buttons", "buttons": [colab]}
    name = "book/foundations/local-privacy"
    launch._add_button(None, name, "", {"header_buttons": [menu], "pathto": lambda *_: ""}, None)
    if release:
        assert colab["url"].endswith("/blob/v1.2.3/book/a.ipynb")
