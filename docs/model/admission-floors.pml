/*
 * The floors of a group: from where on an admission looks for admitted jobs, which it counts, and for jobs that wait for admission, which it picks.
 * README.md says in plain words what this model shows and what it leaves out.
 *
 * A transaction reads the clock, and others see what it has written only after its commit. In between the clock moves on, and admissions look.
 * An admission is one transaction, too: it locks the group, counts and picks in one statement, and looks at the floors in the next one.
 */
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef RESCHEDULES    /* how many times an operator moves the job in backoff to the present */
#define RESCHEDULES 0
#endif
#ifndef RELEASES       /* how many times a node gives the first job back: its ready_at becomes the present */
#define RELEASES 0
#endif
#ifndef LATE           /* whether the last job is enqueued by a transaction that stays open for a while */
#define LATE 0
#endif
#ifndef SWEEPS         /* how many times the leader looks from the beginning */
#define SWEEPS 0
#endif
#define JOBS 3
#define LAST 4         /* the clock runs up to here */
#define BACKOFF 3      /* when the next attempt of the first job is due, if it is in backoff */
#define GONE 0
#define ABSENT 98
#define IN_GROUP 99
#define NOBODY 0

byte ready[JOBS];      /* GONE, ABSENT, IN_GROUP, or ready_at of an admitted job, as committed */
byte position[JOBS];
bool rowLocked[JOBS];
byte clock = 1;
byte lock = NOBODY;

/* The row of the group. */
byte floor;
byte held;             /* admitted jobs that are counted by their numbers */
byte admissionFloor;
byte nextFloor;
bool proposed;
bool waitsForLate;     /* the late transaction was open when nextFloor was written */

bool lateHasNumber;
byte sweeps = SWEEPS;
byte reschedules = RESCHEDULES;
byte releases = RELEASES;

#define isAdmitted(j) (ready[j] != GONE && ready[j] < ABSENT)
#define admitted (isAdmitted(0) + isAdmitted(1) + isAdmitted(2))
#ifdef SWEEP_DOES_NOT_LOWER
#define looksBelow(everything) false
#else
#define looksBelow(everything) everything
#endif
#define isHidden(j) (ready[j] == IN_GROUP && position[j] < admissionFloor)

inline admit(me, everything) {
  atomic { lock == NOBODY -> lock = me };
  began = clock;
  d_step { /* the statement that counts and picks */
    j = 0; n = 0; f = JOBS;
    do
    :: j < JOBS ->
       if
       :: isAdmitted(j) && (everything || ready[j] >= floor) -> n++
#ifndef HELD_JOBS_ARE_NOT_COUNTED
       :: isAdmitted(j) && !everything && ready[j] < floor && (held & (1 << j)) -> n++
#endif
       :: ready[j] == IN_GROUP && (everything || position[j] >= admissionFloor) && (f == JOBS || position[j] < position[f]) -> f = j
       :: else
       fi;
       j++
    :: else -> break
    od;
    f = (n < LIMIT -> f : JOBS); j = 0; n = 0
  };
  d_step { /* the statement that looks at the floors; it sees the job that was picked as admitted now */
    stamp = (clock > floor -> clock : floor);
    newFloor = 0; newHeld = 0; j = 0; first = IN_GROUP; firstInGroup = IN_GROUP;
    do
    :: j < JOBS ->
       r = (j == f -> stamp : ready[j]);
       if
       :: r != GONE && r < ABSENT && r < floor && (held & (1 << j)) -> newHeld = newHeld | (1 << j)
#ifdef HOLDS
       :: r != GONE && r < ABSENT && r >= floor && r < began -> newHeld = newHeld | (1 << j)
#endif
#ifndef HOLDS
       :: r != GONE && r < ABSENT && r >= floor && r < first -> first = r
#else
       :: r != GONE && r < ABSENT && r >= floor && r >= began && r < first -> first = r
#endif
       :: r == IN_GROUP && (position[j] >= admissionFloor || looksBelow(everything)) && position[j] < firstInGroup -> firstInGroup = position[j]
       :: else
       fi;
       j++
    :: else -> break
    od;
#ifdef FLOOR_OF_THE_FUTURE
    newFloor = (first == IN_GROUP -> began : first);
#else
    newFloor = (first == IN_GROUP -> began : (first > clock -> floor : first));
#endif
    newFloor = (newFloor > floor -> newFloor : floor);
#ifdef FORGETS_HELD_JOBS
    newHeld = newHeld & ~held;
#endif
    newAdmissionFloor = admissionFloor; newNext = nextFloor; newWaits = waitsForLate;
    if
#ifdef WAITS_A_MINUTE_AT_MOST
    :: true ->
#else
    :: !proposed || !waitsForLate || !lateHasNumber ->
#endif
       newAdmissionFloor = (proposed -> (nextFloor < firstInGroup -> nextFloor : firstInGroup) : admissionFloor);
       newNext = (began < firstInGroup -> began : firstInGroup);
       newWaits = lateHasNumber
    :: else
    fi;
    if
    :: looksBelow(everything) && firstInGroup < newAdmissionFloor -> newAdmissionFloor = firstInGroup
    :: else
    fi;
    j = 0; r = 0; first = 0; firstInGroup = 0
  };
  d_step { /* the commit */
    if
    :: f < JOBS -> ready[f] = stamp
    :: else
    fi;
    floor = newFloor; held = newHeld; admissionFloor = newAdmissionFloor; nextFloor = newNext; waitsForLate = newWaits; proposed = true;
    lock = NOBODY; f = 0; stamp = 0; newFloor = 0; newHeld = 0; newAdmissionFloor = 0; newNext = 0; newWaits = false; began = 0;
    assert(admitted <= LIMIT)
  }
}

#define ADMITTER byte began, j, n, f, r, first, firstInGroup, stamp, newFloor, newHeld, newAdmissionFloor, newNext; bool newWaits

#define mayEnd(j) (isAdmitted(j) && ready[j] <= clock && !rowLocked[j])

/* Ends jobs, and admits after each. A second one shows that admissions wait for each other. */
proctype Worker(byte me) {
  ADMITTER;
end:
  do
  :: d_step { mayEnd(0) -> ready[0] = GONE };
     admit(me, false)
  :: d_step { mayEnd(1) -> ready[1] = GONE };
     admit(me, false)
  :: d_step { mayEnd(2) -> ready[2] = GONE };
     admit(me, false)
  od
}

/* Somebody who has put other jobs into the group admits: it raises floors, and finds a place if there seems to be one. */
proctype Looker(byte me) {
  ADMITTER;
  byte times = 3;
  do
  :: times > 0 -> admit(me, false); times--
  :: else -> break
  od
}

proctype Clock() {
  do
  :: clock < LAST -> clock++
  :: else -> break
  od
}

#if RESCHEDULES > 0
/* Moves the first job to the present: it is due in the future, and gets an earlier time than it has. */
proctype Operator(byte me) {
  byte now;
end:
  do
  :: reschedules > 0 ->
#ifndef RESCHEDULES_WITHOUT_THE_LOCK
     atomic { lock == NOBODY -> lock = me };
#endif
     atomic { isAdmitted(0) && !rowLocked[0] && ready[0] > clock -> rowLocked[0] = true; now = clock };
     d_step { ready[0] = now; rowLocked[0] = false; reschedules--; now = 0; lock = (lock == me -> NOBODY : lock) }
#ifndef RESCHEDULES_WITHOUT_THE_LOCK
  /* There is nothing to move. */
  :: d_step { lock == NOBODY && reschedules > 0 && !(isAdmitted(0) && ready[0] > clock) -> reschedules-- }
#endif
  :: reschedules == 0 -> break
  od
}
#endif

#if RELEASES > 0
/* A node gives the first job back. It locks no group, so it may commit at any time. */
proctype Releaser() {
  byte now;
end:
  do
  :: releases > 0 ->
     atomic { mayEnd(0) -> rowLocked[0] = true; now = (clock > ready[0] -> clock : ready[0]) };
     d_step { ready[0] = now; rowLocked[0] = false; releases--; now = 0 }
  :: releases == 0 -> break
  od
}
#endif

#if LATE
/* Puts the last job into the group. It draws its number before it reads the clock. It admits nobody: it dies, or it is a caller's transaction. */
proctype LateEnqueuer() {
  byte now;
#ifdef CLOCK_BEFORE_NUMBER
  now = clock;
  lateHasNumber = true;
#else
  lateHasNumber = true;
  now = clock;
#endif
  d_step { ready[2] = IN_GROUP; position[2] = now; lateHasNumber = false }
}
#endif

#if SWEEPS > 0
/* Looks from the beginning, once a job is hidden by the floor. */
proctype Sweep(byte me) {
  ADMITTER;
end:
  do
  :: sweeps > 0 && (isHidden(0) || isHidden(1) || isHidden(2)) -> sweeps--; admit(me, true)
  od
}
#endif

/* While there is something to do, somebody ends a job and admits; at last an ordinary admission looks once more. */
proctype AtTheEnd(byte me) {
  ADMITTER;
end:
  timeout -> admit(me, false);
  timeout -> assert(ready[0] == GONE && ready[1] == GONE && ready[2] == GONE)
}

init {
  atomic {
    ready[0] = (RESCHEDULES > 0 -> BACKOFF : 1);
    ready[1] = IN_GROUP; position[1] = 1;
    ready[2] = (LATE -> ABSENT : IN_GROUP); position[2] = 1;
    run AtTheEnd(7);
    run Worker(1);
    run Worker(2);
    run Looker(3);
    run Clock();
#if RESCHEDULES > 0
    run Operator(4);
#endif
#if RELEASES > 0
    run Releaser();
#endif
#if LATE
    run LateEnqueuer();
#endif
#if SWEEPS > 0
    run Sweep(5);
#endif
  }
}
