"""What kind of file system a path lies on."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import psutil

# As Linux names them. On these, processes of two machines do not see each other's locks or memory reliably.
NETWORK: Final = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "fuse.ceph", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone",
        "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "orangefs", "pvfs2", "smb3",
        "smbfs",
    }
)  # fmt: skip


def network_file_system(path: Path) -> str | None:
    """The name of the network file system that a path, which need not exist yet, lies on; None on a local disk."""
    return network_type(path.resolve(), ((Path(disk.mountpoint), disk.fstype) for disk in psutil.disk_partitions(True)))


def network_type(path: Path, mounts: Iterable[tuple[Path, str]]) -> str | None:
    """The kind of the mount that holds ``path``, if it is one of NETWORK. Of mounts on one place the last counts."""
    holding = [
        (len(place.parts), number, kind) for number, (place, kind) in enumerate(mounts) if path.is_relative_to(place)
    ]
    kind = max(holding, default=(0, 0, ""))[2]
    return kind if kind in NETWORK else None
