"""Files of models: whatever bytes their names have, with the mode and the links of what was there."""

import os
import stat

import numpy as np
import pytest

import finch_clustering as fc


def model():
    samples = np.array([[0.0], [1.0], [5.0], [6.0]])
    return fc.Model(fc.cluster(samples), samples)


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_name_that_is_not_utf_8_is_a_name(tmp_path):
    saved = model()
    path = os.fsencode(tmp_path) + b"/caf\xe9.finch"
    saved.save(path)
    assert os.path.isfile(path)
    assert fc.Model.load(path) == saved
    # As os.listdir and pathlib give it.
    assert fc.Model.load(os.fsdecode(path)) == saved
    with pytest.raises(ValueError, match="zero character"):
        saved.save(b"a\0b")


@pytest.mark.skipif(os.name == "nt", reason="there are no modes there")
def test_saving_over_a_model_keeps_its_mode_and_its_link(tmp_path):
    saved = model()
    target, link = tmp_path / "target.finch", tmp_path / "link.finch"
    saved.save(target)
    target.chmod(0o600)
    link.symlink_to(target)
    left = tmp_path / ".finch-unfinished-1-2-3.tmp"
    left.write_bytes(b"half of a model, of a process that was killed")
    before = target.stat().st_ino
    saved.save(link)
    assert link.is_symlink() and target.stat().st_ino != before
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert not left.exists()
    assert fc.Model.load(target) == saved
