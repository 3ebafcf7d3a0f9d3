/* HDFS block recovery, written by hand: an anchor for our exporter and our search, and independent of both.
 *
 * One block, two datanodes with a replica each, and up to two recoveries of it, each led by a worker of its own; the
 * later one preempts the earlier. Calls are messages, so that everything that is on its way can come late.
 * `tests/model/systems/block_recovery.py` is the same protocol in our language, state by state.
 *
 * Left out: pipelines, locations that are missing or stale, truncate, and the worker's own crash.
 *
 *     spin -o2 -a block_recovery.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan
 *
 * Scratch variables are set back to 0, and -o2 keeps Spin from doing that to others: a state is then what matters.
 */

#define RECOVERIES 2
#define DATANODES 2
#define FIRST_ID 2    /* the block is written under stamp 1; recoveries run under 2 and 3 */
#define LAST_ID 3
#define MAX_LENGTH 2
#define MAX_RESTARTS 1

/* States of a replica, a better one first, and what else an answer can say. */
#define NONE 0
#define FINALIZED 1
#define RBW 2
#define RWR 3
#define RUR 4
#define PREEMPTED 5   /* RecoveryInProgressException: a later recovery has been here */
#define FAILED 6      /* IOException */

mtype = { INIT, UPDATE };

typedef Replica {
  byte state = RBW;
  byte stamp = 1;
  byte length = 1;
  byte original;      /* of a RUR: the state that it hides */
  byte recovery       /* of a RUR: the recovery's id */
};
Replica replica[DATANODES];

byte recovery_id = 1; /* what the NameNode has given out last */
bool closed;
byte block_stamp = 1;
byte block_length;
byte locations;       /* a bit for each datanode */
byte restarts;

chan command[RECOVERIES] = [1] of { byte };             /* recovery id */
chan request[DATANODES]  = [4] of { mtype, byte, byte }; /* what, recovery id, new length */
chan reply[RECOVERIES]   = [2] of { byte, byte, byte };  /* datanode, original state or what went wrong, length */
chan report              = [2] of { byte, byte, byte };  /* recovery id, length, datanodes that were updated */

#define id_here (_pid + FIRST_ID)

/* Once the file is closed, every replica that counts is finalized, with the block's stamp and length. */
#define matches(dn) (!(closed && ((locations >> dn) & 1)) || (replica[dn].state == FINALIZED && \
                     replica[dn].stamp == block_stamp && replica[dn].length == block_length))
#define replicas_match (matches(0) && matches(1))

/* BlockRecoveryWorker: asks every datanode for its replica, agrees on a length, has the replicas updated, reports. */
active [RECOVERIES] proctype worker() {
  byte waiting;                                  /* datanodes whose answer is missing, a bit for each */
  byte found[DATANODES], length[DATANODES];      /* what they have answered; NONE if nothing that counts */
  byte agreed, updated;
  byte dn, answer, bytes, best;                    /* scratch */

end_idle:
  atomic {
    command[_pid]?answer ->
    answer = 0;
    waiting = 3;
    request[0]!INIT,id_here,0;
    request[1]!INIT,id_here,0
  };

collecting:
  atomic {
    reply[_pid]?dn,answer,bytes ->
    waiting = waiting & ~(1 << dn);
    if
    :: answer == PREEMPTED -> goto over          /* give up without a word */
    :: answer == FAILED -> skip
    :: else -> found[dn] = answer; length[dn] = bytes
    fi;
    if
    :: waiting != 0 -> dn = 0; answer = 0; bytes = 0; goto collecting
    :: else
    fi;

    /* Everybody has answered: the best original state decides who takes part. */
    best = RUR;
    for (dn : 0 .. DATANODES - 1) {
      if
      :: found[dn] != NONE && found[dn] < best -> best = found[dn]; agreed = length[dn]
      :: found[dn] != NONE && found[dn] == best && best == FINALIZED && length[dn] != agreed -> goto over
      :: found[dn] != NONE && found[dn] == best && length[dn] < agreed -> agreed = length[dn]
      :: else
      fi
    };
    if
    :: best == RUR -> goto over                  /* nobody has anything */
    :: else
    fi;
    for (dn : 0 .. DATANODES - 1) {
      if
      :: found[dn] == best || (best == FINALIZED && found[dn] == RBW && length[dn] == agreed) ->
         waiting = waiting | (1 << dn);
         request[dn]!UPDATE,id_here,agreed
      :: else
      fi
    };
    dn = 0; answer = 0; bytes = 0; best = 0
  };

updating:
  atomic {
    reply[_pid]?dn,answer,bytes ->
    waiting = waiting & ~(1 << dn);
    if
    :: answer == FINALIZED -> updated = updated | (1 << dn)
    :: else
    fi;
    if
    :: waiting != 0 -> dn = 0; answer = 0; bytes = 0; goto updating
    :: else
    fi;
    if
    :: updated != 0 -> report!id_here,agreed,updated
    :: else                                      /* every update has failed */
    fi;
over:
    waiting = 0; agreed = 0; updated = 0; dn = 0; answer = 0; bytes = 0; best = 0;
    found[0] = 0; found[1] = 0; length[0] = 0; length[1] = 0
  };
end_over:
  false
}

#define me (_pid - RECOVERIES)
#define mine replica[me]

active [DATANODES] proctype datanode() {
  byte id, bytes;                                  /* scratch */

end:
  do
  :: d_step { mine.state == RBW && mine.length < MAX_LENGTH -> /* a packet of the writer's */
       mine.length++
     }
  :: d_step { (mine.state == RBW || mine.state == RUR) && restarts < MAX_RESTARTS -> /* the datanode restarts */
       restarts++;
       mine.state = (mine.original == FINALIZED -> FINALIZED : RWR);
       mine.original = NONE;
       mine.recovery = 0
     }
  :: d_step { request[me]?INIT,id,bytes -> /* initReplicaRecovery */
       if
       :: mine.stamp >= id -> reply[id - FIRST_ID]!me,FAILED,0
       :: mine.stamp < id && mine.state == RUR && mine.recovery >= id -> reply[id - FIRST_ID]!me,PREEMPTED,0
       :: else ->
          if
          :: mine.state != RUR -> mine.original = mine.state; mine.state = RUR
          :: else
          fi;
          mine.recovery = id;
          reply[id - FIRST_ID]!me,mine.original,mine.length
       fi;
       id = 0; bytes = 0
     }
  :: d_step { request[me]?UPDATE,id,bytes -> /* updateReplicaUnderRecovery */
       if
       :: mine.state == RUR && mine.recovery == id && mine.length >= bytes ->
          mine.state = FINALIZED;
          mine.stamp = id;
          mine.length = bytes;
          mine.original = NONE;
          mine.recovery = 0;
          reply[id - FIRST_ID]!me,FINALIZED,0
       :: else -> reply[id - FIRST_ID]!me,FAILED,0
       fi;
       id = 0; bytes = 0;
       assert(replicas_match)
     }
  od
}

active proctype namenode() {
  byte id, bytes, where;                           /* scratch */

end:
  do
  :: d_step { !closed && recovery_id < LAST_ID -> /* internalReleaseLease: a recovery, which preempts the one before */
       recovery_id++;
       command[recovery_id - FIRST_ID]!recovery_id
     }
  :: d_step { report?id,bytes,where -> /* commitBlockSynchronization */
       if
       :: !closed && id == recovery_id ->
          closed = true; block_stamp = id; block_length = bytes; locations = where
       :: else
       fi;
       id = 0; bytes = 0; where = 0;
       assert(replicas_match)
     }
  od
}
