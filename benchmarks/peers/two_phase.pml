/* Two-phase commit as a Promela user writes it: processes and channels, for the time that Spin takes to a verdict with
 * its partial-order reduction. Votes and decisions are messages, and the manager asks one after another, so its states
 * are not those of the system `two_phase` in tests/model/systems.
 *
 *     spin -DN=9 -a two_phase.pml && cc -O3 -DSAFETY -o pan pan.c && ./pan -m100000
 */

#ifndef N
#define N 9
#endif

mtype = { yes, no, commit, abort };

chan vote[N] = [1] of { mtype };
chan decision[N] = [1] of { mtype };

active [N] proctype resource_manager() {
  chan mine = vote[_pid], told = decision[_pid];
  xs mine;                       /* nobody else sends here, nobody else receives there */
  xr told;

  if
  :: mine!yes
  :: mine!no;
     do
     :: told?abort -> goto end
     :: told?commit -> assert(false) /* nobody commits what one has refused */
     od
  fi;
  if
  :: told?commit
  :: told?abort
  fi;
end:
  false
}

active proctype transaction_manager() {
  byte rm;
  mtype answer, outcome = commit;

  for (rm : 0 .. N - 1) {
    if
    :: vote[rm]?answer ->
       if
       :: answer == no -> outcome = abort
       :: else
       fi
    :: outcome = abort           /* it may lose patience */
    fi
  }
  for (rm : 0 .. N - 1) {
    decision[rm]!outcome
  }
end:
  false
}
