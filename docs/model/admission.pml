/*
 * Concurrency groups: jobs of a key wait for admission, and admission lets at most LIMIT of them be pending or running.
 * README.md says in plain words what this model shows and what it leaves out.
 *
 * An admission is one transaction, of its own, after whatever made it necessary has been committed:
 *   1  create the group's row if there is none, then lock it, and WAIT for the lock;
 *   2  in a later statement, with a later snapshot: count the admitted jobs, and pick the first ones that wait;
 *   commit, which makes them pending and unlocks the row in one step.
 *
 * A job in the group is admitted if its row is neither waiting nor gone. Who admits: the enqueuer after its commit, whoever
 * ended a job of the group or put it back, the timer of jobs in backoff, and the leader's sweep.
 */
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef DEATHS          /* how many times a process dies */
#define DEATHS 0
#endif
#ifndef RETRIES         /* how many times a handler fails */
#define RETRIES 0
#endif
#ifndef CANCELS         /* how many admitted jobs an operator cancels before they run */
#define CANCELS 0
#endif
#ifndef CLEANINGS       /* how many times the row of an empty group is removed */
#define CLEANINGS 0
#endif
#ifndef ROW_LOCKS       /* how many times somebody else locks the row of a waiting job for a while, such as an operator who moves a job */
#define ROW_LOCKS 0
#endif
#ifndef UNAWARE         /* how many of the jobs come from an enqueuer that does not know of the group: the last ones */
#define UNAWARE 0
#endif
#define JOBS 3
/* The order is promised to jobs that came in through the group. */
#ifdef UNAWARE_IN_ORDER
#define FIFO_JOBS JOBS
#else
#define FIFO_JOBS (JOBS - UNAWARE)
#endif
#define NOBODY 0

mtype = { absent, plain, lining, waiting, pending, backoff, running, gone };

/* The rows, as committed. */
mtype row[JOBS] = absent;
bool due[JOBS] = true;          /* run_at has come */
byte place[JOBS];               /* run_at and id: the order in its group; drawn when the enqueue begins */
byte before[JOBS];              /* the jobs that were committed when this one's enqueue began */
bool rowLocked[JOBS];           /* somebody who does not admit has locked the row of a job that waits for admission */
byte lastPlace;
#if CLEANINGS > 0 || defined(NO_ROW_NO_LOCK)
bool groupExists;
#else
bool groupExists = true;
#endif
byte generation;                /* counts the rows that the group has had */
byte lock = NOBODY;             /* who has locked the group's row */
bool dead[JOBS];                /* the worker that ran the job has died */

byte deaths = DEATHS;
byte retries = RETRIES;

#define allGone (row[0] == gone && row[1] == gone && row[2] == gone)
#define isAdmitted(j) (row[j] == pending || row[j] == backoff || row[j] == running)
#define admitted (isAdmitted(0) + isAdmitted(1) + isAdmitted(2))
#define runningNow ((row[0] == running) + (row[1] == running) + (row[2] == running))
#define inLine(j) (row[j] == waiting && due[j])
#define somebodyWaits (inLine(0) || inLine(1) || inLine(2))

#if defined(SKIPS_LOCKED_JOB)
#define visible(j) (!rowLocked[j])
#elif defined(SAME_STATEMENT)
#define visible(j) (seen & (1 << j))
#else
#define visible(j) true
#endif

/* The first waiting job that is due; JOBS if there is none. */
inline first() {
  f = JOBS; j = 0;
  do
  :: j < JOBS ->
     if
     :: inLine(j) && !(picks & (1 << j)) && visible(j) && (f == JOBS || place[j] < place[f]) -> f = j
     :: else
     fi;
     j++
  :: else -> break
  od;
  j = 0
}

inline snapshot() {
  free = (LIMIT > admitted -> LIMIT - admitted : 0);
#ifdef SAME_STATEMENT
  j = 0; seen = 0;
  do
  :: j < JOBS -> seen = seen | (inLine(j) << j); j++
  :: else -> break
  od;
  j = 0
#endif
}

inline look() {
  d_step {
#ifndef SAME_STATEMENT
    snapshot();
#endif
    picks = 0; f = 0;
    do
    :: free > 0 && f < JOBS ->
       first();
       if
       :: f < JOBS -> picks = picks | (1 << f); free--
       :: else
       fi
    :: else -> break
    od;
    f = 0; free = 0
  }
}

#define unlock(me) lock = (lock == me -> NOBODY : lock)

/* me: a number for each process, from 1. Whoever may die does so only before the commit: after it, it has nothing more to do. */
inline admit(me, mortal) {
  skip;
again: skip;
#if CLEANINGS > 0
  d_step { if
           :: !groupExists -> groupExists = true; generation++
           :: else
           fi };
#endif
  d_step { g = generation;      /* the statement that locks begins */
#ifdef SAME_STATEMENT
    snapshot();
#endif
  };
  if
#ifdef SKIP_LOCKED
  :: atomic { lock != NOBODY -> goto over }
#endif
  :: atomic { lock == NOBODY && groupExists && generation == g -> lock = me }
#ifdef NO_ROW_NO_LOCK
  :: atomic { !groupExists -> skip }
#else
  /* The row that it waited for is gone, also if there is a new one by now: the statement returns no row. */
#ifdef ROW_GONE_GIVES_UP
  :: atomic { lock == NOBODY && (!groupExists || generation != g) -> goto over }
#else
  :: atomic { lock == NOBODY && (!groupExists || generation != g) -> goto again }
#endif
#endif
  fi;
  g = 0;
  if
  :: atomic { mortal && deaths > 0 -> deaths--; unlock(me); picks = 0; goto over }
  :: look()
  fi;
  /* FOR UPDATE of the picked rows waits for whoever has locked one of them. */
#ifndef SKIPS_LOCKED_JOB
  !((picks & 1 && rowLocked[0]) || (picks & 2 && rowLocked[1]) || (picks & 4 && rowLocked[2]));
#endif
  if
  :: atomic { mortal && deaths > 0 -> deaths--; unlock(me); picks = 0; goto over }
  :: d_step {
       row[0] = (picks & 1 && inLine(0) -> pending : row[0]);
       row[1] = (picks & 2 && inLine(1) -> pending : row[1]);
       row[2] = (picks & 4 && inLine(2) -> pending : row[2]);
       picks = 0; unlock(me);
       assert(admitted <= LIMIT)
     }
  fi;
over:
  atomic { skip; g = 0; picks = 0; free = 0; seen = 0 }
}

#define ADMITTER byte g, picks, f, j, free, seen

/* Enqueues the jobs from..to, one after the other. The place in its group is drawn before the commit. */
proctype Enqueuer(byte me; byte from; byte to) {
  ADMITTER;
  byte k = from;
  do
  :: k <= to ->
     d_step {
       lastPlace++; place[k] = lastPlace; j = 0;
       do
       :: j < JOBS ->
          before[k] = before[k] | ((row[j] != absent) << j);
          j++
       :: else -> break
       od;
       j = 0
     };
     if
     :: k >= JOBS - UNAWARE -> row[k] = plain
     :: else ->
        row[k] = waiting;
#ifndef ENQUEUER_DOES_NOT_ADMIT
        if
        :: atomic { deaths > 0 -> deaths-- }
        :: admit(me, true)
        fi
#endif
     fi;
     k++
  :: else -> break
  od
}

/* A worker claims an admitted job and enters its handler. */
inline start() {
  row[k] = running;
  assert(runningNow <= LIMIT);
#ifdef ORDERED
  /* Nothing that waited for admission when this job was enqueued is left. */
  j = 0;
  do
  :: j < FIFO_JOBS ->
     assert(!(before[k] & (1 << j)) || row[j] == gone || j == k);
     j++
  :: else -> break
  od;
  j = 0
#endif
}

/* The handler failed, and the job waits for its next attempt: in its place if the group is ordered, else back in its group. */
inline putBack() {
#if defined(ORDERED) && !defined(ORDERED_GIVES_PLACE_BACK)
  row[k] = backoff;
#else
  row[k] = waiting; due[k] = false;
#endif
  k = JOBS
}

/* Claims, runs, writes outcomes, and admits after each. It may die at any point, and is started again. */
proctype Worker(byte me) {
  ADMITTER;
  byte k = JOBS;
end:
  do
  /* A job that came in without a group is put into its group, without an attempt. */
  :: atomic { row[0] == plain -> row[0] = lining; k = 0 }
     goto putInGroup
  :: atomic { row[1] == plain -> row[1] = lining; k = 1 }
     goto putInGroup
  :: atomic { row[2] == plain -> row[2] = lining; k = 2 }
     goto putInGroup
  :: d_step { row[0] == pending -> k = 0; start() }
     goto handler
  :: d_step { row[1] == pending -> k = 1; start() }
     goto handler
  :: d_step { row[2] == pending -> k = 2; start() }
     goto handler

putInGroup:
     row[k] = waiting;
     k = JOBS;
     goto after;

handler:
     if
     :: atomic { deaths > 0 -> deaths--; dead[k] = true; k = JOBS; goto end }
     :: true
     fi;
#ifdef ADMITS_BEFORE_COMMIT
     admit(me, true);
#endif
     if
     :: d_step { retries > 0 -> retries--; putBack() }
     :: d_step { true -> row[k] = gone; k = JOBS }
     fi;
after:
#ifdef ADMITS_BEFORE_COMMIT
     skip
#else
     if
     :: atomic { deaths > 0 -> deaths-- }
     :: admit(me, true)
     fi
#endif
  od
}

/* The claims of a dead worker are taken back. The job stays admitted. */
proctype Recovery() {
end:
  do
  :: atomic { dead[0] -> dead[0] = false; row[0] = pending }
  :: atomic { dead[1] -> dead[1] = false; row[1] = pending }
  :: atomic { dead[2] -> dead[2] = false; row[2] = pending }
  od
}

#if RETRIES > 0
/* The time of the next attempt comes. If the job waits for admission, any node admits then. */
proctype Timer(byte me) {
  ADMITTER;
end:
  do
  :: atomic { row[0] == backoff -> row[0] = pending }
  :: atomic { row[1] == backoff -> row[1] = pending }
  :: atomic { row[2] == backoff -> row[2] = pending }
  :: d_step { !due[0] || !due[1] || !due[2] -> due[0] = true; due[1] = true; due[2] = true };
     admit(me, false)
  od
}
#endif

#if CANCELS > 0
/* An operator cancels a job that is admitted and not yet claimed. */
proctype Operator(byte me) {
  ADMITTER;
end:
  if
  :: atomic { row[0] == pending -> row[0] = gone }
  :: atomic { row[1] == pending -> row[1] = gone }
  :: atomic { row[2] == pending -> row[2] = gone }
  :: true -> goto done
  fi;
#ifndef CANCEL_DOES_NOT_ADMIT
  admit(me, false);
#endif
done:
  skip
}
#endif

#if ROW_LOCKS > 0
/* Somebody locks the row of a job that waits for admission and changes nothing about its place. */
proctype RowLocker(byte me) {
  ADMITTER;
  byte k;
end:
  if
  :: atomic { row[0] == waiting -> rowLocked[0] = true; k = 0 }
  :: atomic { row[1] == waiting -> rowLocked[1] = true; k = 1 }
  fi;
#ifdef LOCKS_JOB_THEN_GROUP
  admit(me, false);
#endif
  rowLocked[k] = false
}
#endif

#if CLEANINGS > 0
/* Removes the row of a group that has no job left: lock first, look in the next statement. A job that is enqueued after that look
   finds the row gone. */
proctype Cleaner(byte me) {
  byte n = CLEANINGS;
  bool isEmpty;
end:
  do
  :: n > 0 ->
     atomic { lock == NOBODY && groupExists -> lock = me; n-- };
     isEmpty = (admitted == 0 && row[0] != waiting && row[1] != waiting && row[2] != waiting);
     d_step { groupExists = groupExists && !isEmpty; isEmpty = false; lock = NOBODY }
  :: break
  od
}
#endif

#ifdef SWEEP
/* The leader looks from time to time for groups with room. */
proctype Sweep(byte me) {
  ADMITTER;
end:
  do
  :: somebodyWaits && admitted < LIMIT -> admit(me, false)
  od
}
#endif

/* No job is left over. Nothing here goes round for ever (the check "cycles" shows it), so each run comes to its end, and it is enough to
   look there: when nobody can do anything more, every job has ended. */
proctype AtTheEnd() {
end:
  timeout -> assert(allGone)
}

init {
  atomic {
    run AtTheEnd();
    run Enqueuer(1, 0, 1);
    run Enqueuer(2, 2, 2);
    run Worker(3);
    run Worker(4);
    run Recovery();
#if RETRIES > 0
    run Timer(5);
#endif
#ifdef SWEEP
    run Sweep(6);
#endif
#if CANCELS > 0
    run Operator(7);
#endif
#if CLEANINGS > 0
    run Cleaner(8);
#endif
#if ROW_LOCKS > 0
    run RowLocker(9);
#endif
  }
}
