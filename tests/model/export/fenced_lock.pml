/* fenced_lock, configuration two: written by genstamp */

#define client1 0
#define client2 1
#define NO_Client 2
#define LIMIT_tokens 2
#define LIMIT_writes 2


typedef Write { unsigned client : 1 = 0; unsigned token : 2 = 0 };
typedef writes_bag { unsigned size : 2; Write at[2] };
typedef new_writes_bag { unsigned size : 2; Write at[3] };
typedef new_writes_2_bag { unsigned size : 2; Write at[2] };

unsigned holder : 2 = NO_Client;
unsigned token : 2 = 0;
byte known[2] = 0;
unsigned written : 2 = 0;
bool refused = false;
writes_bag writes;

hidden int new_token;
hidden int new_known;
hidden new_writes_bag new_writes;
hidden Write letter_Write;
hidden new_writes_2_bag new_writes_2;
hidden byte k;
hidden byte told[3];

#if defined(TELL) || defined(DEADLOCK) /* tell of everything once, instead of stopping at the first violation */
#define stop skip
#else
#define stop assert(false)
#endif
#define violated(n, name) told[n] = true; printf(name); stop
#define seen(n, name) told[n] = true; printf(name)
#define failed(n, name) if :: !told[n] -> told[n] = true; printf(name); stop :: else fi

inline insert_Write(box) { /* puts a message where it sorts */
  k = box.size;
  do
  :: k > 0 ->
     if
     :: letter_Write.client < box.at[k - 1].client || (letter_Write.client == box.at[k - 1].client && letter_Write.token < box.at[k - 1].token) ->
        box.at[k].client = box.at[k - 1].client;
        box.at[k].token = box.at[k - 1].token;
        k = k - 1
     :: else -> break
     fi
  :: else -> break
  od;
  box.at[k].client = letter_Write.client;
  box.at[k].token = letter_Write.token;
  box.size = box.size + 1
}
inline remove_Write(box, last) { /* takes one copy of a message out, if there is one */
  k = 0;
  do :: (k < box.size -> !(letter_Write.client == box.at[k].client && letter_Write.token == box.at[k].token) : false) -> k = k + 1 :: else -> break od;
  if
  :: k < box.size ->
     do
     :: k < last ->
        box.at[k].client = box.at[k + 1].client;
        box.at[k].token = box.at[k + 1].token;
        k = k + 1
     :: else -> break
     od;
     box.at[last].client = 0;
     box.at[last].token = 0;
     box.size = box.size - 1
  :: else
  fi
}
hidden int old_written;

/* transition: The store's order of writers is that of the lock. (fenced_lock.py:68) */
#define written_never_goes_back (old_written <= written)

inline remember() {
  old_written = written;
}

inline judge_step() {
  if :: !told[0] && !written_never_goes_back -> violated(0, "violated: written_never_goes_back\n") :: else fi;
  skip
}

/* A client asks for the lock. (fenced_lock.py:32) */
inline acquire(this_client) {
  d_step {
    (  (holder == NO_Client) /* the lock is free, else LockedException */
    ) ->
    remember();
    new_token = token + 1;
    new_known = token + 1;
    if
    :: (new_token > LIMIT_tokens) || (new_known > LIMIT_tokens) -> skip
    :: else ->
       holder = this_client;
       token = new_token;
       known[this_client] = new_known;
       judge_step()
    fi
  }
}

/* The lock is taken back; its holder does not know. (fenced_lock.py:40) */
inline time_out() {
  d_step {
    (  !(holder == NO_Client) /* somebody holds the lock */
    ) ->
    remember();
    holder = NO_Client;
    judge_step()
  }
}

/* A client writes, believing that it holds the lock. (fenced_lock.py:46) */
inline send(this_client) {
  d_step {
    (  (0 < known[this_client]) /* the client was given a token */
    ) ->
    remember();
    new_writes.size = writes.size;
    for (k : 0 .. 1) {
      new_writes.at[k].client = writes.at[k].client;
      new_writes.at[k].token = writes.at[k].token;
    }
    new_writes.at[2].client = 0;
    new_writes.at[2].token = 0;
    letter_Write.client = this_client;
    letter_Write.token = known[this_client];
    insert_Write(new_writes);
    if
    :: new_writes.size > LIMIT_writes -> skip
    :: else ->
       writes.size = new_writes.size;
       for (k : 0 .. 1) {
         writes.at[k].client = new_writes.at[k].client;
         writes.at[k].token = new_writes.at[k].token;
       }
       judge_step()
    fi
  }
}

/* A write arrives. (fenced_lock.py:52) */
inline store(this_writes) {
  d_step {
    (  (this_writes < writes.size) /* there is such a message */
    && (written <= writes.at[this_writes].token) /* no later token was seen */
    ) ->
    remember();
    new_writes_2.size = writes.size;
    for (k : 0 .. 1) {
      new_writes_2.at[k].client = writes.at[k].client;
      new_writes_2.at[k].token = writes.at[k].token;
    }
    letter_Write.client = writes.at[this_writes].client;
    letter_Write.token = writes.at[this_writes].token;
    remove_Write(new_writes_2, 1);
    written = writes.at[this_writes].token;
    writes.size = new_writes_2.size;
    for (k : 0 .. 1) {
      writes.at[k].client = new_writes_2.at[k].client;
      writes.at[k].token = new_writes_2.at[k].token;
    }
    judge_step()
  }
}

/* A write comes too late. (fenced_lock.py:60) */
inline refuse(this_writes) {
  d_step {
    (  (this_writes < writes.size) /* there is such a message */
    && (writes.at[this_writes].token < written) /* a later token was seen */
    ) ->
    remember();
    new_writes_2.size = writes.size;
    for (k : 0 .. 1) {
      new_writes_2.at[k].client = writes.at[k].client;
      new_writes_2.at[k].token = writes.at[k].token;
    }
    letter_Write.client = writes.at[this_writes].client;
    letter_Write.token = writes.at[this_writes].token;
    remove_Write(new_writes_2, 1);
    refused = true;
    writes.size = new_writes_2.size;
    for (k : 0 .. 1) {
      writes.at[k].client = new_writes_2.at[k].client;
      writes.at[k].token = new_writes_2.at[k].token;
    }
    judge_step()
  }
}

/* forall(client_0 in Client: (known[client_0] <= token)) */
#define tokens_are_drawn_every_client_of(client_0) (known[client_0] <= token)
#define tokens_are_drawn_every_client \
  (tokens_are_drawn_every_client_of(client1) \
   && tokens_are_drawn_every_client_of(client2))
/* forall_in(write_0 in Write: writes, (write_0.token <= token)) */
#define tokens_are_drawn_every_write_of(write_0) (writes.at[write_0].token <= token)
#define tokens_are_drawn_every_write \
  ((!(0 < writes.size) || tokens_are_drawn_every_write_of(0)) \
   && (!(1 < writes.size) || tokens_are_drawn_every_write_of(1)))
/* invariant: Nobody knows a token that was not given out. (fenced_lock.py:73) */
#define tokens_are_drawn (tokens_are_drawn_every_client && tokens_are_drawn_every_write)

/* witness: A client can come too late. (fenced_lock.py:80) */
#define somebody_is_fenced (refused)

active proctype system() {
end:
  do
  :: acquire(client1)
  :: acquire(client2)
  :: time_out()
  :: send(client1)
  :: send(client2)
  :: store(0)
  :: store(1)
  :: refuse(0)
  :: refuse(1)
#ifndef DEADLOCK
  :: d_step { !told[1] && !tokens_are_drawn -> violated(1, "violated: tokens_are_drawn\n") }
#ifdef TELL
  :: d_step { !told[2] && somebody_is_fenced -> seen(2, "seen: somebody_is_fenced\n") }
#endif
#endif
  od
}
