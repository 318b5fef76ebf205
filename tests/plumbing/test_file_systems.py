from pathlib import Path

import pytest

from plancheck.plumbing.file_systems import network_file_system, network_type

MOUNTS = [
    (Path("/"), "ext4"),
    (Path("/home"), "nfs4"),
    (Path("/home/me/scratch"), "xfs"),
    (Path("/mnt"), "ext4"),
    (Path("/mnt"), "cifs"),
    (Path("/data"), "nfs"),
    (Path("/data"), "tmpfs"),
]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/work/study", None),
        ("/home/me/study/.plancheck", "nfs4"),
        ("/home/me/scratch/c.sqlite", None),
        ("/homes/me", None),
        ("/mnt/c", "cifs"),
        ("/data/c", None),
    ],
)
def test_the_deepest_and_last_mount_decides(path, kind):
    assert network_type(Path(path), MOUNTS) == kind


def test_a_folder_of_the_tests_is_local_and_a_link_is_followed(tmp_path, monkeypatch):
    assert network_file_system(tmp_path / "not yet" / "there") is None
    mounts = [type("Mount", (), {"mountpoint": str(tmp_path / "far"), "fstype": "nfs"})]
    monkeypatch.setattr("psutil.disk_partitions", lambda all: mounts)
    (tmp_path / "near").symlink_to(tmp_path / "far")
    assert network_file_system(tmp_path / "near" / "c.sqlite") == "nfs"
