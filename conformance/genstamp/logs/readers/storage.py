"""Reads storage directories: a NameNode's images and edits in the order of their transactions, a datanode's replicas.

Several directories of one NameNode hold the same files; each file is read once, and differing copies are reported. A
replica is also reported to the key of its block, so that what a datanode has and what the NameNode knows meet.

Not here: how directories and archives are opened (`storage_tree`), and images before protobuf.
"""

from collections.abc import Iterator
from pathlib import Path

from genstamp.events import Event, Kind, Place
from genstamp.logs.readers.edit_events import NAMENODE
from genstamp.logs.readers.edit_grants import LEGACY_STAMPS
from genstamp.logs.readers.name_directories import NameDirectories
from genstamp.logs.readers.sighting import Concern, Counts, Reject, Sighting, Unit
from genstamp.logs.readers.storage_directory import Replica, Storage, kept, replicas, storages
from genstamp.logs.readers.storage_tree import Archive, Directory, Tree
from genstamp.logs.sources import REPLICAS
from genstamp.logs.streams import DamagedSourceError

Finds = Iterator[Sighting | Reject]

FIRST_SEQUENTIAL = 1 << 30
"""Where ids of blocks begin that are given out in sequence (H); before Hadoop 2.1 they were random."""

_SEQUENTIAL_MAX = 1 << 44
_STRIPED = -(1 << 63)


class StorageReader:
    """The contents of storage directories.

    Args:
        unit: whose files are archives or storage directories.
        counts: where is counted what tells nothing.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._unit = unit
        self._counts = counts
        self._order = 0

    def sightings(self) -> Finds:
        """All events: those of NameNodes first, those of each namespace together."""
        trees: list[Tree] = []
        for file in self._unit.files:
            try:
                tree: Tree = Directory(Path(file)) if Path(file).is_dir() else Archive(file)
            except (DamagedSourceError, OSError) as error:
                yield Reject(Place(file, 0), error.reason if isinstance(error, DamagedSourceError) else str(error))
                continue
            yield from tree.rejects
            trees.append(tree)
        found = [(tree, storage) for tree in trees for storage in storages(tree)]
        if trees and not found:
            yield Reject(Place(self._unit.files[0], 0), "no storage directory of a NameNode or a datanode is in it")
        by_namespace: dict[str, list[tuple[Tree, Storage]]] = {}
        for tree, storage in found:
            if storage.kind == "NAME_NODE":
                by_namespace.setdefault(storage.namespace, []).append((tree, storage))
        for namespace, directories in by_namespace.items():
            yield from NameDirectories(self._unit, self._counts, namespace, directories, self._next).sightings()
        by_datanode: dict[tuple[str, str], list[tuple[Tree, Storage]]] = {}
        for tree, storage in found:
            if storage.kind == "DATA_NODE":
                by_datanode.setdefault((storage.namespace, storage.node), []).append((tree, storage))
        for volumes in by_datanode.values():
            yield from self._datanode(volumes)

    def _next(self) -> int:
        self._order += 1
        return self._order

    def _datanode(self, volumes: list[tuple[Tree, Storage]]) -> Finds:
        """The replicas on all volumes of a datanode."""
        _, storage = volumes[0]
        places: dict[Replica, Place] = {}
        for tree, volume in volumes:
            file = tree.name(volume.root)
            on_volume, refused = replicas(tree, volume)
            for path, reason in refused:
                yield Reject(Place(file, 0), reason, path)
            places.update((replica, Place(file, number)) for number, replica in enumerate(on_volume, 1))
        found, deleted = kept(places)
        for replica in deleted:
            self._counts.remarks[places[replica].file, "replica that the datanode deletes for a better one"] += 1
        highest: dict[tuple[str, str], tuple[int, Place]] = {}
        for replica in found:
            place = places[replica]
            namespace = replica.pool or storage.namespace
            yield self._replica(storage, namespace, place, replica)
            if replica.generation_stamp is None:
                self._counts.remarks[place.file, "block file without a stamp beside it"] += 1
                continue
            key = namespace, NAMENODE if _is_sequential(replica.block_id) else LEGACY_STAMPS
            highest[key] = max(highest.get(key, (0, place)), (replica.generation_stamp, place), key=lambda one: one[0])
        for (namespace, counter), (stamp, place) in highest.items():
            event = self._event(storage, place, namespace, "node", counter, "stamps_on_disk", stamp)
            yield Sighting(event.node_sequence, event, [Concern("node", counter)])

    def _replica(self, storage: Storage, namespace: str, place: Place, replica: Replica) -> Sighting:
        entity = f"{replica.block_id}@{storage.node}"
        event = self._event(
            storage,
            place,
            namespace,
            "replica",
            entity,
            "found_on_disk",
            replica.generation_stamp,
            replica.num_bytes,
            {"path": replica.path},
            {"replica_state": replica.state},
        )
        concerns = [Concern("replica", entity), Concern("block", str(replica.block_id), "replica")]
        return Sighting(event.node_sequence, event, concerns)

    def _event(
        self,
        storage: Storage,
        place: Place,
        namespace: str,
        kind: Kind,
        entity: str,
        event: str,
        generation_stamp: int | None,
        num_bytes: int | None = None,
        arguments: dict[str, str] | None = None,
        observed: dict[str, str] | None = None,
    ) -> Event:
        return Event(
            source=REPLICAS,
            node=storage.node,
            node_sequence=self._next(),
            kind=kind,
            namespace=namespace,
            entity=entity,
            event=event,
            generation_stamp=generation_stamp,
            num_bytes=num_bytes,
            arguments=arguments or {},
            observed=observed or {},
            place=place,
        )


def _is_sequential(block_id: int) -> bool:
    """Whether an id was given out in sequence; of random ones next to none look so."""
    return FIRST_SEQUENTIAL < block_id < _SEQUENTIAL_MAX or _STRIPED <= block_id < _STRIPED + _SEQUENTIAL_MAX
