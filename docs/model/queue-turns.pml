/*
 * Turns: on one node, several queues with a limit and those without one all have a backlog that never ends. Who gets the free threads?
 * README.md says in plain words what this model shows and what it leaves out.
 *
 * One step is an exchange, or the end of a job. That no exchange takes more places than there are is shown by queue-limit.pml.
 */
#ifndef QUEUES          /* queues with a limit; those without one are the last number */
#define QUEUES 2
#endif
#ifndef THREADS
#define THREADS 1
#endif
#ifndef PLACES          /* the limit of each queue */
#define PLACES 1
#endif
#define PLAIN QUEUES
#define TURNS (2 * QUEUES)

byte free = THREADS;
byte running[QUEUES + 1];
bool waits[QUEUES];             /* all places were taken, so the queue is not asked until a place is freed */
byte turn;                      /* counts exchanges that could claim from both kinds of queues */
byte last = QUEUES - 1;         /* the queue with a limit that has got a job last */
byte passed[QUEUES + 1];        /* how many exchanges in a row gave jobs to others while the queue could have had one */

#define some(a, b) (a < b -> a : b)

/* A queue that has got something begins to count again, and so does one that had no place. */
inline passOver(q, got, had) {
  passed[q] = (got == 0 && had -> passed[q] + 1 : 0)
}

/* As many jobs are wanted as there are free threads, or none. */
inline exchange(jobs) {
  want = jobs;
  asked = 0; room = 0; q = 0;
  do
  :: q < QUEUES -> asked = asked || !waits[q]; hadPlace[q] = running[q] < PLACES; got[q] = 0; q++
  :: else -> break
  od;
  if
#ifdef COUNTS_ALL_EXCHANGES
  :: true -> turn = (turn + 1) % TURNS
#else
  :: want > 0 && asked -> turn = (turn + 1) % TURNS
#endif
  :: else
  fi;
  if
#ifdef PLAIN_FIRST
  :: false
#endif
#ifdef LIMITED_FIRST
  :: want > 0 && asked -> room = want
#else
  :: want > 0 && asked && turn % 2 == 0 -> room = (want > 1 -> want / 2 : 1)
#endif
  :: else
  fi;
#ifdef PLAIN_FIRST
  room = 0;
#endif
  /* Queues without a limit take the rest of what is wanted, and have jobs for it. */
  got[PLAIN] = want - room; running[PLAIN] = running[PLAIN] + got[PLAIN]; free = free - got[PLAIN];
#ifdef SAME_NUMBER
  first = turn % QUEUES;
#else
  first = (last + 1) % QUEUES;
#endif
  i = 0;
  do
  :: i < QUEUES ->
     q = (first + i) % QUEUES;
     if
     :: room > 0 && !waits[q] ->
        got[q] = some(room, PLACES - running[q]);
        running[q] = running[q] + got[q]; free = free - got[q]; room = room - got[q];
        waits[q] = running[q] == PLACES;
        last = (got[q] > 0 -> q : last)
     :: else
     fi;
     i++
  :: else -> break
  od;
  q = 0;
  do
  :: want > 0 && q < QUEUES -> passOver(q, got[q], hadPlace[q]); q++
  :: want > 0 && q == PLAIN -> passOver(PLAIN, got[PLAIN], true); q++
  :: else -> break
  od;
  asked = 0; room = 0; first = 0; i = 0; q = 0;
  /* The rule: the two kinds take turns, and the queues with a limit among each other. */
  assert(passed[PLAIN] <= 1);
  do
  :: q < QUEUES -> assert(passed[q] < TURNS); got[q] = 0; hadPlace[q] = false; q++
  :: else -> break
  od;
  got[PLAIN] = 0; q = 0; want = 0
}

active proctype Pump() {
  byte want, asked, room, first, i, q;
  byte got[QUEUES + 1];
  bool hadPlace[QUEUES];
end:
  do
  :: d_step { free > 0 -> exchange(free) }
  /* An exchange that only writes outcomes: enough jobs wait for a thread. */
  :: d_step { exchange(0) }
  od
}

/* Jobs take any time. Whoever ends one remembers in which queue it had a place, and wakes that queue. */
proctype Handlers(byte q) {
end:
  do
  :: d_step { running[q] > 0 -> running[q]--; free++;
       if
#ifndef FORGETS_CLAIM
       :: q != PLAIN -> waits[q] = false
#endif
       :: else
       fi }
  od
}

init {
  byte n;
  atomic {
    do
    :: n <= QUEUES -> run Handlers(n); n++
    :: else -> break
    od
  }
}
