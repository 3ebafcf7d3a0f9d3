"""Maps the events of a run of GFS to steps of gfs.snapshot: files that share a chunk at one position.

Which files list which chunks is what the records of the master's log say, each when it is logged. Users see it only
after it is on disk (`master_log`); if the master dies before that, the check of the files concerned ends.

All replicas of a chunk are one: which chunkservers have it, and in which version, is judged elsewhere, and so is why a
lease is over. Here a lease is over when the master takes it for over, or one of a former master when the time is up for
which such a lease may last. The holder of a granted lease knows of it at once, as does its client; a write succeeds if
a primary answers it, by the version under which it was asked for, which says through which file.

A lease that ends for another reason than a snapshot counts as one whose time is up.

Not here: whatever `snapshot_words` names.
"""

from collections.abc import Iterator, Mapping, Sequence

from genstamp.events import Event
from genstamp.lockstep.gfs import snapshot_words as words
from genstamp.lockstep.gfs.shared import Family, File, Lease, Namespace
from genstamp.lockstep.projection import OVER, Entity, Happened, LeftOut, Projected, Step, model_step
from genstamp_dfs.gfs.protocol import MASTER


class SnapshotProjection:
    """The projection of one run on gfs.snapshot.

    Args:
        master_waits_us: how long a lease of a former master may last after the start of the next one, by its clock.
    """

    members: Mapping[str, Sequence[str]] = {
        "File": words.FILES,
        "Chunk": words.CHUNKS,
        "Position": (words.HERE,),
        "Chunkserver": (words.STAND_IN,),
    }
    unseen: Mapping[str, Mapping[str, Sequence[str]]] = {}
    impossible = words.IMPOSSIBLE
    told_apart = words.TOLD_APART
    forgotten = words.FORGOTTEN

    def __init__(self, master_waits_us: int) -> None:
        self._master_waits_us = master_waits_us
        self._names = Namespace()
        self._families: dict[str, Family] = {}
        self._all: list[Family] = []
        self._started_us = 0

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        for event in events:
            yield event, list(self._projected(event))

    def _projected(self, event: Event) -> Iterator[Projected]:
        if event.event == "answer" and event.node != MASTER:
            yield self._written(event)
        elif event.node != MASTER:
            yield LeftOut(words.OTHER_NODES)
        elif event.event in words.DROPPED:
            yield LeftOut(words.DROPPED[event.event])
        elif event.event == "append_record":
            yield from self._logged(event)
            assert int(event.observed["records"]) == self._names.records, f"a record is missing before {event}"
        else:
            method = getattr(self, f"_{event.event}", None)
            assert method is not None, f"the projection does not handle the master's event '{event.event}'"
            yield from method(event)

    # -- families -----------------------------------------------------------------------------------------------

    def _of(self, handle: str) -> Family | None:
        """The family of a chunk."""
        return self._families.get(handle)

    def _families_of(self, file: File) -> Iterator[Family]:
        """Those in which a file has chunks."""
        for handle in file.chunks:
            yield self._families[handle]

    def _steps(self, family: Family, *steps: Step) -> Projected:
        """The meaning of an event for a family."""
        return LeftOut(OVER) if family.is_over else Entity(family.key, steps)

    def _ended(self, family: Family, reason: str) -> Projected:
        if family.is_over:
            return LeftOut(OVER)
        family.is_over = True
        return LeftOut(reason, family.key)

    # -- records ------------------------------------------------------------------------------------------------

    def _logged(self, event: Event) -> Iterator[Projected]:
        record = event.arguments
        name = record["record"]
        if name in words.RECORDS:
            yield LeftOut(words.RECORDS[name])
            self._names.apply(record)
            return
        method = {
            "AddChunk": self._add_chunk,
            "ReplaceChunk": self._replace_chunk,
            "CopyTree": self._copy_tree,
            "RemovePaths": self._remove_paths,
        }.get(name)
        assert method is not None, f"the projection does not handle records of the kind '{name}'"
        found = list(method(event, record))
        yield from found or [LeftOut(words.NO_CHUNKS)]

    def _touched(self, family: Family) -> None:
        family.last_record = self._names.records

    def _add_chunk(self, _event: Event, record: Mapping[str, str]) -> Iterator[Projected]:
        self._names.apply(record)
        file, handle = self._names.files[record["path"]], record["handle"]
        # A handle that was lost with its record may be given again.
        family = self._families[handle] = Family(f"chunk {handle}, family {len(self._all) + 1}")
        self._all.append(family)
        self._touched(family)
        family.files[file] = words.FILES[0]
        chunk = family.new_chunk(handle)
        assert chunk is not None
        yield self._steps(family, _step("add_chunk", file=words.FILES[0], position=words.HERE, chunk=chunk))

    def _replace_chunk(self, _event: Event, record: Mapping[str, str]) -> Iterator[Projected]:
        file, new = self._names.files[record["path"]], record["handle"]
        family = self._families[new] = self._families[file.chunks[int(record["index"])]]
        self._names.apply(record)
        self._touched(family)
        family.making.pop(file, None)
        name = family.chunks.get(new) or family.new_chunk(new)
        if name is None:
            yield self._ended(family, words.TOO_MANY)
            return
        yield self._steps(
            family,
            _step("copy_replica", new=name, chunkserver=words.STAND_IN),
            _step("install_copy", new=name),
        )

    def _copy_tree(self, event: Event, record: Mapping[str, str]) -> Iterator[Projected]:
        sources = dict(self._names.below(record["source"]))
        self._names.apply(record)
        for rest, source in sources.items():
            path = record["target"] + rest
            for family in self._families_of(source):
                self._touched(family)
                if family.is_over:
                    yield LeftOut(OVER)
                    continue
                # One that was not begun has a name too: the model then says what does not hold.
                _, name = family.snapshots.pop(path, (source, family.new_file()))
                if name is None:
                    yield self._ended(family, words.TOO_MANY)
                    continue
                family.revoking -= set(source.chunks)
                family.files[self._names.files[path]] = name
                made = (_step("log_snapshot", target=name), _step("duplicate_metadata", target=name))
                yield self._steps(family, *self._waited(event, family), *made)

    def _remove_paths(self, _event: Event, record: Mapping[str, str]) -> Iterator[Projected]:
        removed = [self._names.files[path] for path in record["paths"].split(",") if path in self._names.files]
        self._names.apply(record)
        for file in removed:
            for family in self._families_of(file):
                self._touched(family)
                name = family.files.pop(file, None)
                family.making.pop(file, None)
                if name is not None:
                    yield self._steps(family, _step("delete_file", file=name))
                else:
                    yield LeftOut(OVER)

    # -- snapshots and copies -----------------------------------------------------------------------------------

    def _begin_snapshot(self, event: Event) -> Iterator[Projected]:
        found = False
        for rest, source in self._names.below(event.entity):
            for family in self._families_of(source):
                found = True
                name = family.new_file()
                if name is None:
                    yield self._ended(family, words.TOO_MANY)
                elif family.is_over:
                    yield LeftOut(OVER)
                else:
                    family.snapshots[event.arguments["target"] + rest] = (source, name)
                    step = _step("begin_snapshot", source=family.files[source], target=name)
                    yield self._steps(family, *self._waited(event, family), step)
        if not found:
            yield LeftOut(words.NO_CHUNKS)

    def _copy_chunk(self, event: Event) -> Iterator[Projected]:
        file, source, new = self._names.files[event.arguments["file"]], event.arguments["source"], event.entity
        family = self._families[new] = self._families[source]
        if file in family.making:
            yield self._ended(family, words.COPY_GIVEN_UP)
        name = None if family.is_over else family.new_chunk(new)
        if name is None:
            yield self._ended(family, words.TOO_MANY)
            return
        family.making[file] = new
        step = _step("begin_copy", file=family.files[file], position=words.HERE, new=name)
        yield self._steps(family, *self._waited(event, family), step)

    # -- leases -------------------------------------------------------------------------------------------------

    def _waited(self, event: Event, family: Family) -> list[Step]:
        """Leases whose time is up by now are over, though the master has not told so yet: former masters' too."""
        now_us = event.time_us or 0
        over = [handle for handle in family.granted if self._is_up(now_us, family.granted[handle].counted_us)]
        if family.unknown and self._is_up(now_us, self._started_us):
            over += sorted(family.unknown)
            family.unknown.clear()
        for handle in over:
            family.granted.pop(handle, None)
            family.revoking.discard(handle)
        chunks = [{"chunk": family.chunks[handle]} for handle in over]
        return [Happened(action, chunk) for chunk in chunks for action in ("lease_runs_out", "expire_lease")]

    def _is_up(self, now_us: int, since_us: int) -> bool:
        return now_us - since_us >= self._master_waits_us

    def _grant_lease(self, event: Event) -> Iterator[Projected]:
        handle, version = event.entity, event.generation_stamp or 0
        family = self._of(handle)
        file = None if family is None else family.listing(handle)
        if family is None or file is None:
            yield LeftOut(words.NOT_LISTED)
            return
        family.told[handle, version] = file
        if family.is_over:
            yield LeftOut(OVER)
            return
        waited = self._waited(event, family)
        family.granted[handle] = Lease(version, event.time_us or 0)
        where = {"file": family.files[file], "position": words.HERE}
        yield self._steps(
            family,
            *waited,
            _step("grant_lease", **where, chunkserver=words.STAND_IN),
            _step("find_lease_holder", **where),
        )

    def _find_lease(self, event: Event) -> Iterator[Projected]:
        handle = event.observed.get("handle", "")
        if event.refused_with is not None:
            yield from self._refused(event)
            return
        family, version = self._of(handle), event.generation_stamp or 0
        if family is None or family.listing(handle) is None:
            yield LeftOut(words.NOT_LISTED)
        elif (handle, version) in family.told:
            held = family.granted.get(handle)
            yield LeftOut(words.KNOWN if held is not None and held.version == version else words.LATE)
        elif family.is_over:
            yield LeftOut(OVER)
        else:
            file = family.listing(handle)
            assert file is not None
            yield self._steps(family, _step("find_lease_holder", file=family.files[file], position=words.HERE))

    def _refused(self, event: Event) -> Iterator[Projected]:
        """No lease; if a copy was to be made first, it may have been given up."""
        file = self._names.files.get(event.entity)
        index = int(event.arguments["index"])
        if file is not None and index < len(file.chunks):
            family = self._families[file.chunks[index]]
            if file in family.making:
                yield self._ended(family, words.COPY_GIVEN_UP)
                return
        yield LeftOut(words.NO_LEASE)

    def _revoke_lease(self, event: Event) -> Iterator[Projected]:
        handle = event.entity
        family = self._of(handle)
        wanted = [] if family is None else family.sources_with(handle)
        if family is None or not wanted or handle in family.revoking or handle not in family.granted:
            yield LeftOut(words.OTHER_REVOCATION)
        elif family.is_over:
            yield LeftOut(OVER)
        else:
            family.revoking.add(handle)
            yield self._steps(family, _step("revoke_lease", file=family.files[wanted[0]], position=words.HERE))

    def _give_up_lease(self, event: Event) -> Iterator[Projected]:
        family = self._of(event.entity)
        if family is None or family.is_over:
            yield LeftOut(words.NOT_LISTED if family is None else OVER)
        elif event.entity in family.revoking:
            family.revoking.discard(event.entity)
            family.granted.pop(event.entity, None)
            yield self._steps(family, _step("give_up_lease", chunk=family.chunks[event.entity]))
        else:
            yield self._over(event, is_up_now=True)

    def _expire_lease(self, event: Event) -> Iterator[Projected]:
        """The master takes a lease for over: by the clocks no chunkserver may still hold it."""
        yield self._over(event, is_up_now=False)

    def _over(self, event: Event, *, is_up_now: bool) -> Projected:
        """A lease is over, since its primary has said so or by the master's clock."""
        family = self._of(event.entity)
        if family is None or family.is_over:
            return LeftOut(words.NOT_LISTED if family is None else OVER)
        lease = family.granted.pop(event.entity, None)
        family.revoking.discard(event.entity)
        if lease is None:
            return LeftOut(words.OVER_BEFORE)
        chunk = {"chunk": family.chunks[event.entity]}
        is_up = is_up_now or self._is_up(event.time_us or 0, lease.counted_us)
        runs_out = [Happened("lease_runs_out", chunk)] if is_up else []
        return self._steps(family, *runs_out, _step("expire_lease", **chunk))

    def _extend_lease(self, event: Event) -> Iterator[Projected]:
        """A lease goes on: its time counts from now."""
        family = self._of(event.entity)
        if family is not None and event.entity in family.granted:
            family.granted[event.entity].counted_us = event.time_us or 0
        yield LeftOut(words.EXTENDED)

    def _written(self, event: Event) -> Projected:
        """A primary answers its client."""
        if event.refused_with is not None:
            return LeftOut(words.FAILED)
        handle = event.entity
        family = self._of(handle)
        file = None if family is None else family.told.get((handle, event.generation_stamp or 0))
        if family is None or (file is not None and file not in family.files):
            return LeftOut(words.NOT_LISTED)
        file = file or family.listing(handle)
        if file is None:
            return LeftOut(words.NOT_LISTED)
        if family.is_over:
            return LeftOut(OVER)
        return self._steps(family, _step("write", file=family.files[file], position=words.HERE))

    # -- a master that starts -----------------------------------------------------------------------------------

    def _recover(self, event: Event) -> Iterator[Projected]:
        """Leases, snapshots that were not logged, and copies that no file lists yet are forgotten."""
        records = int(event.observed["records"])
        self._started_us = event.time_us or 0
        found = False
        for family in self._all:
            if family.is_over:
                continue
            found = True
            if family.last_record > records:
                yield self._ended(family, words.UNDONE)
            elif family.files:
                family.unknown = set(family.chunks)
                for kept in (family.snapshots, family.making, family.granted, family.revoking):
                    kept.clear()
                yield self._steps(family, _step("restart_master"))
        if not found:
            yield LeftOut(words.NOTHING_SHARED)
        if records < self._names.records:
            self._names.forget(records)


def _step(action: str, **arguments: str) -> Event:
    return model_step(action, arguments, node=MASTER)
