"""Faults of the write pipeline, at the client, along the chain and at the NameNode."""

from genstamp_model.language import Bug, Hole

FIRST_ANSWER_COUNTS = Hole(
    "first-answer-counts",
    "a reader takes the length that the first location answers, and a recovery of the pipeline may cut bytes of it off",
    drops=(("read", "no location shows less"),),
    breaks=("shown_bytes_are_at_every_location",),
    configuration="pair",
    depth=14,
    source="found with this model; facts C.3, S2, S4; DFSInputStream#readBlockLength, FsDatasetImpl#recoverRbw, 3.4.1",
)

BUGS: tuple[Bug, ...] = ()

HADOOP_3_4 = (FIRST_ANSWER_COUNTS,)

HADOOP_2_7 = HADOOP_3_4
