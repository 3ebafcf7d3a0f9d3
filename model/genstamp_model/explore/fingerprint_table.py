"""A set of fingerprints: machine functions for its table, and what its collisions are worth.

A fingerprint is made of one of 2**REGION_BITS regions and 59 bits more. A region is as many buckets of eight slots as
all others, and the 59 bits say where in its region a fingerprint belongs; it is in that bucket, or in one of the 30
behind it. A slot holds the 59 bits and, below them, one more than how many buckets away the fingerprint stands: so the
place gives the region back, and what is compared is the whole fingerprint, though only 8 bytes of it are kept. An empty
slot is 0. Fingerprints are in their own order, more or less, and the table grows in place by any factor.

The hash is drawn from a family for which the probability that two states share a fingerprint is known: the sum of the
state's halves, each times a key of 128 bits, of which the upper 97 bits are strongly universal (Lemire and Kaser,
"Strongly universal string hashing is fast", The Computer Journal 57(11), 2014, section 3). What is done to them
afterwards maps no two values to one.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.driver import PARTITIONS
from genstamp_model.explore.machine import Word, Words, assembly, function, inlined
from genstamp_model.explore.table import BUCKET, MATCHING, lowest, prefetch

# A build gives the true numbers: int64 words a state, and the bits of a region's number.
WORDS: Final = 1
REGION_BITS: Final = 16

PARTITION_BITS: Final = PARTITIONS.bit_length() - 1
KEPT_BITS: Final = 59  # of a fingerprint in its slot
AWAY_BITS: Final = 5
MOST_AWAY: Final = (1 << AWAY_BITS) - 2  # buckets between where a fingerprint belongs and where it stands
AWAY_MASK: Final = (1 << AWAY_BITS) - 1
MOST_REGION_BITS: Final = 16
LEAST_REGION_BITS: Final = AWAY_BITS

# How much of the table may be full before it grows by an eighth, in parts of 1024.
LOAD: Final = 942

# Fingerprints that may have to wait while the table grows: at their places would stand what has not been moved.
WAITING: Final = 4096

# Slots of a partition that describe its table; the others are in `driver`, and in `fingerprint_driver`.
SPAN: Final = 22  # buckets a region
MOST_SPAN: Final = 19  # as many as its memory has room for
PROMISED: Final = 23  # fingerprints that it may hold before it grows


@assembly("""
entry:
  %start = load i128, ptr %keys, align 8
  br label %next
next:
  %k = phi i64 [0, %entry], [%more, %next]
  %sum = phi i128 [%start, %entry], [%sum.both, %next]
  %place = getelementptr i64, ptr %state, i64 %k
  %word = load i64, ptr %place, align 8
  %low = and i64 %word, 4294967295
  %high = lshr i64 %word, 32
  %low.wide = zext i64 %low to i128
  %high.wide = zext i64 %high to i128
  %twice = shl i64 %k, 1
  %first = add i64 %twice, 1
  %key.low.place = getelementptr i128, ptr %keys, i64 %first
  %key.high.place = getelementptr i128, ptr %key.low.place, i64 1
  %key.low = load i128, ptr %key.low.place, align 8
  %key.high = load i128, ptr %key.high.place, align 8
  %part.low = mul i128 %key.low, %low.wide
  %part.high = mul i128 %key.high, %high.wide
  %sum.low = add i128 %sum, %part.low
  %sum.both = add i128 %sum.low, %part.high
  %more = add i64 %k, 1
  %again = icmp ult i64 %more, %words
  br i1 %again, label %next, label %end
end:
  store i128 %sum.both, ptr %out, align 8
  ret i64 0
""")
def multilinear(state: Words, words: Word, keys: Words, out: Words) -> Word:
    """The sum of 32-bit halves times keys of 128 bits, modulo 2**128; lower word first."""
    raise NotImplementedError


@inlined
def fingerprint(state: Words, keys: Words, out: Words) -> Word:
    """Write the slot's bits of a state's fingerprint to out[0], its region to out[1]; gives its partition.

    `keys` holds 2 * WORDS + 1 keys of two words, and then a mask of two words that says which bits count.
    """
    multilinear(state, WORDS, keys, out)
    mask = keys + (4 * WORDS + 2)
    # Neither step maps two values to one: a word is scrambled, and what is left of the other changed by its bits.
    h = out[1] & mask[1]
    h ^= h >> 32
    h *= -49064778989728563
    h ^= h >> 29
    h *= -4265267296055464877
    h ^= h >> 32
    rest = ((out[0] & mask[0]) >> (64 - (REGION_BITS + PARTITION_BITS - AWAY_BITS))) << AWAY_BITS
    rest = (rest | (h & AWAY_MASK)) ^ ((h >> AWAY_BITS) & ((1 << (REGION_BITS + PARTITION_BITS)) - 1))
    out[0] = h & ~AWAY_MASK
    out[1] = rest & ((1 << REGION_BITS) - 1)
    return rest >> REGION_BITS


@assembly("""
  %first = shl i64 %bucket, 3
  %place = getelementptr i64, ptr %table, i64 %first
  %slots = load <8 x i64>, ptr %place, align 8
  %one = insertelement <8 x i64> poison, i64 %entry, i32 0
  %entries = shufflevector <8 x i64> %one, <8 x i64> poison, <8 x i32> zeroinitializer
  %same = icmp eq <8 x i64> %slots, %entries
  %free = icmp eq <8 x i64> %slots, zeroinitializer
  %slots.away = and <8 x i64> %slots, splat (i64 31)
  %entries.away = and <8 x i64> %entries, splat (i64 31)
  %nearer = icmp slt <8 x i64> %slots.away, %entries.away
  %same.bits = bitcast <8 x i1> %same to i8
  %free.bits = bitcast <8 x i1> %free to i8
  %nearer.bits = bitcast <8 x i1> %nearer to i8
  %matching = zext i8 %same.bits to i64
  %empty = zext i8 %free.bits to i64
  %near = zext i8 %nearer.bits to i64
  %empty.above = shl i64 %empty, 8
  %near.above = shl i64 %near, 16
  %two = or i64 %matching, %empty.above
  %all = or i64 %two, %near.above
  ret i64 %all
""")
def look_for(table: Words, bucket: Word, entry: Word) -> Word:
    """One bit for each slot of a bucket that holds the entry; eight bits higher, one for each empty slot.

    Another eight bits higher, one for each slot that is empty or stands nearer to where it belongs than the entry.
    """
    raise NotImplementedError


@assembly(
    """
  %first = shl i64 %bucket, 3
  %place = getelementptr i64, ptr %table, i64 %first
  %slots = load <8 x i64>, ptr %place, align 8
  %lower = trunc <8 x i64> %slots to <8 x i32>
  %away = and <8 x i32> %lower, splat (i32 31)
  %above = shl <8 x i32> %away, splat (i32 3)
  %marked = or <8 x i32> %above, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %least = call i32 @llvm.vector.reduce.umin.v8i32(<8 x i32> %marked)
  %slot = and i32 %least, 7
  %number = zext i32 %slot to i64
  ret i64 %number
""",
    declares="declare i32 @llvm.vector.reduce.umin.v8i32(<8 x i32>)",
)
def nearest(table: Words, bucket: Word) -> Word:
    """The slot of a full bucket whose entry stands nearest to where it belongs."""
    raise NotImplementedError


@inlined
def belongs(slot: Word, region: Word, span: Word) -> Word:
    """The bucket to which a fingerprint belongs."""
    return region * span + (((slot >> 32) * span) >> 32)


@inlined
def fetch(table: Words, slot: Word, region: Word, span: Word) -> None:
    """Begin to bring the bucket of a fingerprint into the cache."""
    prefetch(table + belongs(slot, region, span) * BUCKET)


@inlined
def put(table: Words, slot: Word, region: Word, span: Word) -> Word:
    """Put a fingerprint into a table: 1 where it is new, 0 where it was there, 2 where there is no room near."""
    bucket = belongs(slot, region, span)
    entry = slot + 1
    for _ in range(MOST_AWAY + 1):
        slots = look_for(table, bucket, entry)
        if slots & MATCHING != 0:
            return 0
        if slots != 0:
            return settle(table, bucket, entry)
        bucket += 1
        entry += 1
    return 2


@function
def settle(table: Words, bucket: Word, entry: Word) -> Word:
    """Put a new entry into a bucket where there is room, or where one stands nearer to its own; that one moves on.

    So no fingerprint is behind a bucket in which one is nearer to its own place than it would be there: a search ends
    early, and nothing is far away ("Robin Hood hashing").
    """
    while True:
        slots = look_for(table, bucket, entry)
        empty = (slots >> BUCKET) & MATCHING
        if empty != 0:
            table[bucket * BUCKET + lowest(empty)] = entry
            return 1
        if slots != 0:
            place = bucket * BUCKET + nearest(table, bucket)
            pushed = table[place]
            table[place] = entry
            entry = pushed
        if entry & AWAY_MASK > MOST_AWAY:
            return 2
        bucket += 1
        entry += 1


@function
def lengthen(partition: Words, table: Words, waiting: Words) -> Word:
    """Make a table an eighth longer, in place; 0 where that fails, and the table is lost.

    An entry of a bucket belongs to it or to a later bucket afterwards. Beginning at the end, it therefore goes where
    all has been moved already; the few that would come to lie below wait until the end.
    """
    span = partition[SPAN]
    more = span + 1 if span < 8 else span + (span >> 3)
    more = more if more < partition[MOST_SPAN] else partition[MOST_SPAN]
    moving = waiting + 2 * WAITING
    region, start, count = (1 << REGION_BITS) - 1, ((1 << REGION_BITS) - 1) * span, 0
    for q in range((span << REGION_BITS) + MOST_AWAY - 1, -1, -1):
        if q < start:
            region -= 1
            start -= span
        bucket = table + q * BUCKET
        for i in range(BUCKET):
            moving[i] = bucket[i]
            bucket[i] = 0
        for i in range(BUCKET):
            entry = moving[i]
            if entry != 0:
                away = (entry & AWAY_MASK) - 1
                slot = entry & ~AWAY_MASK
                own, own_start = region, start
                while q - away < own_start:
                    own -= 1
                    own_start -= span
                if belongs(slot, own, more) < q or put(table, slot, own, more) != 1:
                    if count == WAITING:
                        return 0
                    waiting[2 * count] = slot
                    waiting[2 * count + 1] = own
                    count += 1
    for i in range(count):
        if put(table, waiting[2 * i], waiting[2 * i + 1], more) != 1:
            return 0
    partition[SPAN] = more
    allow(partition)
    return 1


@function
def allow(partition: Words) -> None:
    """Say how many fingerprints a table may hold: any number where it cannot grow."""
    slots = (partition[SPAN] << REGION_BITS) * BUCKET
    partition[PROMISED] = (slots * LOAD) >> 10 if partition[SPAN] < partition[MOST_SPAN] else slots
