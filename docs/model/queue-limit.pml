/*
 * The limit of a queue: several nodes claim jobs of one queue of which at most "limit" may run.
 * README.md says in plain words what this model shows and what it leaves out.
 *
 * A claim is one transaction:
 *   A  lock the queue's row with SKIP LOCKED;
 *   B  in a later statement, with a later snapshot: count the claimed jobs, and pick at most limit - count pending ones;
 *   commit, which makes the claims visible and unlocks the row in one step.
 * The statements before the commit change nothing that others can see, so they only remember what they picked.
 *
 * Node 0 lives for ever and may run every job. Every other node may crash, freeze, be declared dead, and drain, and cannot
 * run the last job.
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef JOBS
#define JOBS 3
#endif
#ifndef FAULTS          /* how many times a node crashes or freezes */
#define FAULTS 0
#endif
#ifndef DRAINS          /* how many times a node stops claiming and lets its jobs end */
#define DRAINS 0
#endif
#ifndef CHANGES         /* how many times an operator changes the limit */
#define CHANGES 0
#endif
#ifndef LIMIT           /* the first limit; UNLIMITED: the queue has none yet */
#define LIMIT 1
#endif
#ifndef MAX_LIMIT
#define MAX_LIMIT 2
#endif
#define UNLIMITED 9
#define NOBODY 255

mtype = { pending, claimed, gone };                 /* a job's row */
mtype = { idle, counting, locking, locked, picked, unlocked };   /* a node's transaction */

/* The rows, as committed. */
mtype row[JOBS] = pending;
byte owner[JOBS] = NOBODY;      /* whose token the row has */
byte limit = LIMIT;             /* muster_queues.max_running */
byte lock = NOBODY;             /* who has locked the queue's row */
bool rowLocked[JOBS];           /* a transaction has picked the job */
#ifdef COUNTER
byte counter;                   /* claims add to it, ended jobs take from it; a crash does neither */
#define count(n) counter = counter + n
#else
#define count(n) skip
#endif
#ifdef FLOOR
byte batch[JOBS];               /* the number of the note that names the job */
byte floorBatch;                /* the lowest note that counts */
byte lastBatch;
byte drawn[NODES];
#endif

/* The nodes. */
mtype phase[NODES] = idle;
bool up[NODES] = true;
bool frozen[NODES];
bool declaredDead[NODES];
bool draining[NODES];
bool awake[NODES] = true;       /* the node will look for jobs; enqueuing woke all of them */
bool owes[NODES];               /* the node has freed a place and has not yet seen to it that somebody looks */
bool settling[NODES];           /* it freed the place before this claim counted, so this claim sees to it */
byte room[NODES];
byte picks[NODES];              /* a bit for each job */
byte limitRead[NODES];
bool orphan[JOBS];              /* the node that holds the claim is dead, declared dead, or never heard of its claim */
bool thread[NODES * JOBS];      /* a thread of a node that is not declared dead is in this job's handler */

byte faults = FAULTS;
byte drains = DRAINS;
byte changes = CHANGES;

#define mayRun(n, j) ((n) == 0 || (j) < JOBS - 1)
#define works(n) (up[n] && !frozen[n])
#ifdef DEAD_NODE_CLAIMS
#define mayBegin(n) true
#else
#define mayBegin(n) (!declaredDead[n])
#endif
#define allGone (row[0] == gone && row[1] == gone && row[2] == gone)

#ifdef PLAIN_CLAIMS
bool named[JOBS];               /* a note of this queue names the job: it was claimed under the lock, or noted again since */
bool owed;                      /* jobs that were claimed before the queue had a limit may not be noted yet */
bool began;
#endif

#if defined(FLOOR)
#define noted(j) (batch[j] >= floorBatch)
#elif defined(PLAIN_CLAIMS)
#define noted(j) named[j]
#else
#define noted(j) true
#endif

inline wakeAll() {
  w = 0;
  do
  :: w < NODES -> awake[w] = true; w++
  :: else -> break
  od;
  w = 0
}

#ifdef PLAIN_CLAIMS
/* Notes for all jobs that are held now, also for those that were claimed without the lock. */
inline noteAll() {
  j = 0;
  do
  :: j < JOBS -> named[j] = row[j] == claimed; j++
  :: else -> break
  od;
  j = 0
}

/* Whoever has the lock of a queue that is owed notes writes them, once all claims have ended that began before it had a limit. */
inline noteEarlier(n) {
  began = false; w = 0;
  do
  :: w < NODES -> began = began || (phase[w] != idle && limitRead[w] == UNLIMITED); w++
  :: else -> break
  od;
  w = 0;
  if
  :: owed && !began -> noteAll(); owed = false
  :: else
  fi;
  began = false
}
#endif

/* Statement B counts: jobs with a token that a committed note names. */
inline countClaims(n) {
  c = 0; j = 0;
  do
  :: j < JOBS ->
     if
#ifdef OWN_NOTES_ONLY
     :: row[j] == claimed && owner[j] == n && noted(j) -> c++
#else
     :: row[j] == claimed && noted(j) -> c++
#endif
     :: else
     fi;
     j++
  :: else -> break
  od;
#ifdef COUNTER
  c = counter;
#endif
#ifdef STALE_LIMIT
  room[n] = (limitRead[n] > c -> limitRead[n] - c : 0);
#else
  room[n] = (limit > c -> limit - c : 0);
#endif
#if defined(PLAIN_CLAIMS) && !defined(IMPATIENT)
  room[n] = (owed -> 0 : room[n]);
#endif
  c = 0; j = 0
}

/* Picks pending jobs, at most as many as there is room. A node has a thread for each place. */
inline pick(n) {
  c = 0; j = 0;
  do
  :: j < JOBS ->
     if
     :: c < room[n] && row[j] == pending && mayRun(n, j) && !rowLocked[j] ->
        c++; rowLocked[j] = true; picks[n] = picks[n] | (1 << j)
     :: else
     fi;
     j++
  :: else -> break
  od;
  room[n] = (room[n] == UNLIMITED -> 0 : room[n] - c);
  c = 0; j = 0
}

inline rollBack(n) {
  j = 0;
  do
  :: j < JOBS ->
     if
     :: picks[n] & (1 << j) -> rowLocked[j] = false
     :: else
     fi;
     j++
  :: else -> break
  od;
  j = 0;
  if
  :: lock == n -> lock = NOBODY
  :: else
  fi;
  owes[n] = owes[n] || settling[n];
  settling[n] = false; picks[n] = 0; room[n] = 0; limitRead[n] = 0;
  phase[n] = idle
}

/* The number of claims, and of threads whose claim is gone, is within the limit of this moment. */
inline checkLimit() {
  c = 0; j = 0; w = 0;
  do
  :: j < JOBS ->
     c = c + (row[j] == claimed);
     w = 0;
     do
     :: w < NODES ->
        c = c + (thread[w * JOBS + j] && !(row[j] == claimed && owner[j] == w));
        w++
     :: else -> break
     od;
     j++
  :: else -> break
  od;
  assert(c <= limit);
  c = 0; j = 0; w = 0
}

/* The commit: notes and tokens become visible, and the lock goes. */
inline commit(n) {
  c = 0; j = 0;
#ifdef FLOOR
  /* The note gets its number, and the queue's row the lowest number that still counts. */
  if
  :: picks[n] ->
#ifndef NUMBER_BEFORE_LOCK
     lastBatch++; drawn[n] = lastBatch;
#endif
     w = drawn[n];
     do
     :: j < JOBS ->
        if
        :: row[j] == claimed && noted(j) && batch[j] < w -> w = batch[j]
        :: else
        fi;
        j++
     :: else -> break
     od;
#ifdef NUMBER_BEFORE_LOCK
     w = (w < floorBatch -> floorBatch : w);    /* a floor that only rises, which is right as long as numbers rise with commits */
#endif
     floorBatch = w; w = 0; j = 0
  :: else
  fi;
#endif
  do
  :: j < JOBS ->
     if
     :: picks[n] & (1 << j) ->
        row[j] = claimed; owner[j] = n; count(1);
        thread[n * JOBS + j] = !declaredDead[n];
        orphan[j] = declaredDead[n];
#ifdef FLOOR
        batch[j] = drawn[n];
#endif
#ifdef PLAIN_CLAIMS
        named[j] = limitRead[n] != UNLIMITED;
#endif
     :: else
     fi;
     j++
  :: else -> break
  od;
#ifdef FLOOR
  drawn[n] = (picks[n] -> 0 : drawn[n]);
#endif
  /* What was claimed within a limit fits, counting also threads whose claim is gone. */
  if
  :: picks[n] && limitRead[n] != UNLIMITED -> checkLimit()
  :: else
  fi;
  /* Whoever leaves room tells the others: it may be a room that it has freed itself, for a job that only they can run. */
  if
  :: settling[n] && room[n] > 0 ->
#ifndef TELLS_NOBODY
     wakeAll();
     awake[n] = false;
#endif
  :: else
  fi;
  settling[n] = false;
#ifdef FORGETS_WAKE_UP
  awake[n] = false;
#endif
#ifdef SETTLES_TOO_MUCH
  owes[n] = false;
#endif
  rollBack(n)
}

inline anyForMe(n) {
  c = 0; j = 0;
  do
  :: j < JOBS ->
     c = c + (row[j] == pending && mayRun(n, j));
     j++
  :: else -> break
  od;
  j = 0
}

proctype Claimer(byte n) {
  byte c, j, w;
end:
  do
  /* A node that is awake looks whether there is something for it, without any lock. */
  :: d_step { works(n) && !draining[n] && mayBegin(n) && phase[n] == idle && awake[n] ->
#ifndef FORGETS_WAKE_UP
       awake[n] = false;        /* before it looks: what wakes it from here on counts for the next look */
#endif
       anyForMe(n);
       if
       :: c == 0 ->
          if
          :: owes[n] ->
#ifndef TELLS_NOBODY
             wakeAll();
             awake[n] = false;
#endif
             owes[n] = false
          :: else
          fi;
#ifdef FORGETS_WAKE_UP
          awake[n] = false;
#endif
       :: else ->
          limitRead[n] = limit;
#if defined(SAME_STATEMENT) || defined(NO_LOCK)
          phase[n] = counting
#else
          phase[n] = locking
#endif
       fi;
#ifdef NUMBER_BEFORE_LOCK
       if
       :: phase[n] == locking && drawn[n] == 0 -> lastBatch++; drawn[n] = lastBatch
       :: else
       fi;
#endif
#ifndef STALE_LIMIT
       if
       :: limit != UNLIMITED -> limitRead[n] = 0
       :: else
       fi;
#endif
       c = 0
     }

#if defined(SAME_STATEMENT) || defined(NO_LOCK)
  /* Mutants: the count's snapshot is older than the lock, or there is no lock. */
  :: d_step { works(n) && phase[n] == counting -> countClaims(n);
#ifdef NO_LOCK
       phase[n] = locked
#else
       phase[n] = locking
#endif
     }
#endif

#ifdef PLAIN_CLAIMS
  /* A queue without a limit: claim.sql, without the lock. Its snapshot has decided that there is no limit. */
  :: d_step { works(n) && phase[n] == locking && limitRead[n] == UNLIMITED ->
       room[n] = UNLIMITED; pick(n); phase[n] = picked }
#endif

  /* A: the lock, or nothing. */
  :: d_step { works(n) && phase[n] == locking && limitRead[n] != UNLIMITED ->
       if
       :: lock == NOBODY -> lock = n; phase[n] = locked
       :: else ->
          rollBack(n);
#ifndef DOES_NOT_COME_BACK
          awake[n] = true
#endif
       fi
     }

  /* B: count and pick. */
  :: d_step { works(n) && phase[n] == locked ->
#if defined(PLAIN_CLAIMS) && !defined(ONE_PASS)
       noteEarlier(n);
#endif
#if !defined(SAME_STATEMENT) && !defined(NO_LOCK)
       countClaims(n);
#endif
       pick(n);
       settling[n] = owes[n];
       owes[n] = false;
#ifdef UNLOCK_BEFORE_COMMIT
       lock = NOBODY;
#endif
       phase[n] = picked }

  :: d_step { works(n) && phase[n] == picked -> commit(n) }
  od
}

inline ended(n) {
  row[j] = gone; owner[j] = NOBODY; count(-1);
#if !defined(GIVES_UP_CLAIM) && !defined(COMPLETE_IN)
  thread[n * JOBS + j] = false;
#endif
  if
  :: draining[n] ->
#ifndef TELLS_NOBODY
     wakeAll();
#endif
     skip
  :: else -> awake[n] = true; owes[n] = true
  fi;
  j = 0
}

/* The handlers of a node. A thread that ignores interruption keeps its claim until it returns, so there is one step: the thread
   has returned and its outcome is committed. */
proctype Handlers(byte n) {
  byte j, w;
end:
  do
  :: d_step { works(n) && !declaredDead[n] && row[0] == claimed && owner[0] == n && !orphan[0] -> j = 0; ended(n) }
  :: d_step { works(n) && !declaredDead[n] && row[1] == claimed && owner[1] == n && !orphan[1] -> j = 1; ended(n) }
  :: d_step { works(n) && !declaredDead[n] && row[2] == claimed && owner[2] == n && !orphan[2] -> j = 2; ended(n) }
#if defined(GIVES_UP_CLAIM) || defined(COMPLETE_IN)
  :: d_step { thread[n * JOBS] && row[0] != claimed -> thread[n * JOBS] = false }
  :: d_step { thread[n * JOBS + 1] && row[1] != claimed -> thread[n * JOBS + 1] = false }
  :: d_step { thread[n * JOBS + 2] && row[2] != claimed -> thread[n * JOBS + 2] = false }
#endif
  od
}

inline orphanAll(n) {
  j = 0;
  do
  :: j < JOBS ->
     if
     :: row[j] == claimed && owner[j] == n -> orphan[j] = true
     :: else
     fi;
     thread[n * JOBS + j] = false;
     j++
  :: else -> break
  od;
  j = 0
}

inline takeBack() {
  row[j] = pending; owner[j] = NOBODY; orphan[j] = false; j = 0;
#ifdef POLL
  skip          /* its wake-up may be lost, too */
#else
  wakeAll()
#endif
}

/* Recovery takes the claims of dead nodes back: by their death, or when their leases have run out. */
proctype Recovery() {
  byte j, w;
end:
  do
  :: d_step { orphan[0] && row[0] == claimed -> j = 0; takeBack() }
  :: d_step { orphan[1] && row[1] == claimed -> j = 1; takeBack() }
  :: d_step { orphan[2] && row[2] == claimed -> j = 2; takeBack() }
  od
}

#ifdef POLL
/* The fallback poll: a node looks by itself from time to time while there may be something. */
proctype Poll(byte n) {
end:
  do
  :: atomic { works(n) && !draining[n] && !awake[n] && phase[n] == idle && !allGone -> awake[n] = true }
  od
}
#endif

#if FAULTS > 0
/* The server ends the transaction of a client that has been silent in it for too long, and the leader declares a silent node dead. */
proctype Watch(byte n) {
  byte j;
end:
  do
#ifdef NO_IDLE_TIMEOUT
  :: false
#else
  :: d_step { frozen[n] && phase[n] != idle -> rollBack(n) }
#endif
  :: d_step { frozen[n] && !declaredDead[n] -> declaredDead[n] = true; orphanAll(n) }
  od
}

inline lostAnswer(n) {
  row[0] = (j & 1 -> claimed : row[0]); owner[0] = (j & 1 -> n : owner[0]); orphan[0] = orphan[0] || (j & 1);
  row[1] = (j & 2 -> claimed : row[1]); owner[1] = (j & 2 -> n : owner[1]); orphan[1] = orphan[1] || (j & 2);
  row[2] = (j & 4 -> claimed : row[2]); owner[2] = (j & 4 -> n : owner[2]); orphan[2] = orphan[2] || (j & 4);
#ifdef FLOOR
  lastBatch++;
  batch[0] = (j & 1 -> lastBatch : batch[0]); batch[1] = (j & 2 -> lastBatch : batch[1]); batch[2] = (j & 4 -> lastBatch : batch[2]);
#endif
  count((j & 1) + ((j >> 1) & 1) + ((j >> 2) & 1));
  j = 0
}

/* What may go wrong with a node; nothing of it has to. */
proctype Fate(byte n) {
  byte j;
end:
  do
  :: d_step { faults > 0 && up[n] && !frozen[n] -> faults--;    /* the process dies */
       up[n] = false; rollBack(n); orphanAll(n); awake[n] = false; owes[n] = false;
       declaredDead[n] = false; draining[n] = false }
  :: d_step { !up[n] -> up[n] = true; awake[n] = true }         /* and is started again */
  :: d_step { faults > 0 && up[n] && !frozen[n] -> faults--; frozen[n] = true }
  :: d_step { frozen[n] -> frozen[n] = false }                  /* it goes on where it was */
  :: d_step { works(n) && declaredDead[n] && phase[n] == idle -> declaredDead[n] = false; awake[n] = true }  /* it joins again */
  :: d_step { works(n) && phase[n] == picked && faults > 0 -> faults--;    /* it commits, and the answer is lost */
       j = picks[n]; rollBack(n); lostAnswer(n) }
  :: break
  od
}
#endif

#if DRAINS > 0
proctype Drain(byte n) {
  byte w;
  do
  :: d_step { drains > 0 && works(n) && !draining[n] && phase[n] == idle -> drains--;
       draining[n] = true;
       /* A place that it has freed is for others to fill. */
       if
       :: owes[n] ->
#ifndef TELLS_NOBODY
          wakeAll();
#endif
          owes[n] = false
       :: else
       fi }
  :: break
  od
}
#endif

#if CHANGES > 0
/* An UPDATE of the queue's row waits for whoever has locked it. */
proctype Operator() {
  byte w, to, j;
  do
  :: changes > 0 ->
     select(to : 0 .. MAX_LIMIT);
     d_step { lock == NOBODY ->
#ifdef PLAIN_CLAIMS
       /* One transaction sets the limit, notes what it sees, and writes down that notes are owed. */
       if
       :: limit == UNLIMITED && to != UNLIMITED ->
#ifndef TWO_TRANSACTIONS
          noteAll();
#ifndef ONE_PASS
          owed = true;
#endif
#endif
          skip
       :: else
       fi;
#endif
       limit = to; changes--; to = 0; wakeAll() }
  :: break
  od
}
#endif

init {
  byte n;
  atomic {
    n = 0;
    do
    :: n < NODES ->
       run Claimer(n);
       run Handlers(n);
#ifdef POLL
       run Poll(n);
#endif
#if FAULTS > 0
       if
       :: n > 0 -> run Fate(n); run Watch(n)
       :: else
       fi;
#endif
#if DRAINS > 0
       if
       :: n > 0 -> run Drain(n)
       :: else
       fi;
#endif
       n++
    :: else -> break
    od;
    run Recovery();
#if CHANGES > 0
    run Operator();
#endif
  }
}

/* No place is lost: while the queue lets anything run, everything ends. */
#ifdef LIVENESS
ltl no_place_is_lost { <> (allGone || limit == 0) }
#endif
