"""The hash table of a search, and what is done ahead of its use: machine functions that know no model.

A table is a number of buckets of eight slots, one line of the cache each. A slot holds the upper half of a state's hash
and, below it, the state's place plus one; an empty slot is 0. A state belongs to the bucket that its hash's upper half
is the fraction of, and stands there or in the first bucket behind it that has room. So entries are in the order of
their hashes, more or less, and a table grows in place by any factor without a look at the states.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.machine import Word, Words, assembly, function, inlined

# Slots that are looked at together: a line of the cache.
BUCKET: Final = 8

# Hundredths of the table that may be full before it grows by half.
LOAD: Final = 65

# Entries that may have to wait while a table grows.
WAITING: Final = 4096

# int64 words a state; a build gives the true number.
WORDS: Final = 1

UPPER: Final = -(2**32)
LOWER: Final = 2**32 - 1
MATCHING: Final = 2**BUCKET - 1  # the bits of `look` that mean a matching slot; those above mean an empty one
NEITHER: Final = 2 ** (2 * BUCKET)  # a bit above both


@assembly(
    "call void @llvm.prefetch.p0(ptr %place, i32 0, i32 3, i32 1)\nret i64 0",
    declares="declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
)
def prefetch(place: Words) -> None:
    """Begin to bring memory into the cache."""


@assembly("""
    %first = shl i64 %bucket, 3
    %place = getelementptr i64, ptr %table, i64 %first
    %slots = load <8 x i64>, ptr %place, align 8
    %upper = and i64 %tag, -4294967296
    %one = insertelement <8 x i64> poison, i64 %upper, i32 0
    %tags = shufflevector <8 x i64> %one, <8 x i64> poison, <8 x i32> zeroinitializer
    %uppers = and <8 x i64> %slots, splat (i64 -4294967296)
    %same = icmp eq <8 x i64> %uppers, %tags
    %free = icmp eq <8 x i64> %slots, zeroinitializer
    %same.bits = bitcast <8 x i1> %same to i8
    %free.bits = bitcast <8 x i1> %free to i8
    %full.bits = xor i8 %free.bits, -1
    %matching.bits = and i8 %same.bits, %full.bits
    %matching = zext i8 %matching.bits to i64
    %empty = zext i8 %free.bits to i64
    %above = shl i64 %empty, 8
    %both = or i64 %matching, %above
    ret i64 %both
""")
def look(table: Words, bucket: Word, tag: Word) -> Word:
    """One bit for each slot of a bucket whose upper half is the tag's; eight bits higher, one for each empty slot."""
    raise NotImplementedError


@assembly(
    "%zeros = call i64 @llvm.cttz.i64(i64 %bits, i1 true)\nret i64 %zeros",
    declares="declare i64 @llvm.cttz.i64(i64, i1)",
)
def lowest(bits: Word) -> Word:
    """Position of the lowest bit that is set."""
    raise NotImplementedError


@assembly("%memory = inttoptr i64 %address to ptr\nret ptr %memory")
def memory_at(address: Word) -> Words:
    """The memory at an address."""
    raise NotImplementedError


@inlined
def hashed(state: Words) -> Word:
    """The hash of a state: every bit of it depends on every bit of the state."""
    h = -7046029254386353131
    for k in range(WORDS):
        h ^= state[k]
        h *= -49064778989728563
        h ^= h >> 32
        h *= -4265267296055464877
        h ^= h >> 29
    return h


@inlined
def home(entry: Word, buckets: Word) -> Word:
    """The bucket to which a hash, or a slot's entry, belongs."""
    return ((entry >> 32) * buckets) >> 32


@inlined
def enter(table: Words, buckets: Word, entry: Word, last: Word) -> Word:
    """Put an entry that is not there yet into the first free slot from its home on; 0 where that is past `last`."""
    bucket = home(entry, buckets)
    while True:
        free = look(table, bucket, 0) >> BUCKET
        if free != 0:
            table[bucket * BUCKET + lowest(free)] = entry
            return 1
        if bucket == last:
            return 0
        bucket += 1
        if bucket == buckets:
            bucket = 0


@function
def grow(table: Words, buckets: Word, more: Word, waiting: Words) -> Word:
    """Make a table longer in place; 0 where more than WAITING entries would have to wait.

    An entry of bucket q belongs to q or a later bucket afterwards. Beginning at the end, it therefore goes where all
    has been moved already; the few entries that would come to lie below, or wrap around, wait until the end.
    """
    count = 0
    for q in range(buckets - 1, -1, -1):
        bucket = table + q * BUCKET
        slots = (look(table, q, 0) >> BUCKET) ^ MATCHING
        moving = waiting + WAITING
        for i in range(BUCKET):
            moving[i] = bucket[i]
            bucket[i] = 0
        while slots != 0:
            entry = moving[lowest(slots)]
            slots &= slots - 1
            if home(entry, more) < q or enter(table, more, entry, more - 1) == 0:
                if count == WAITING:
                    return 0
                waiting[count] = entry
                count += 1
    for i in range(count):
        enter(table, more, waiting[i], -1)
    return 1
