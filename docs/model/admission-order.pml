/*
 * Positions in an ordered group, while the clock of the database may be set back, by a failover for example.
 * README.md says in plain words what this model shows and what it leaves out.
 *
 * An enqueue reads the clock, looks at what it can see in its group, and takes a position that is later than all of it; it commits later. An
 * admission sees what is committed, from the floor on, and picks the job with the lowest position. A job that waits for admission is due: the clock is not asked.
 * The group's row knows when the floor was last looked at. An admission that finds this time in the future forgets the floor.
 */
#ifndef STEPS_BACK     /* how many times the clock is set back */
#define STEPS_BACK 1
#endif
#define JOBS 3
#define LAST 4         /* the clock runs up to here */
#define NOT_YET 99

mtype = { absent, waiting, running, gone };

mtype row[JOBS] = absent;
byte position[JOBS];
byte before[JOBS];     /* the jobs that were committed when this one's enqueue began */
byte clock = 1;
byte floor;
byte lookedAt;
byte open;             /* how many enqueues have begun and not committed: floors do not rise beside them */
byte stepsBack = STEPS_BACK;

#define taken (row[0] == running || row[1] == running || row[2] == running)
#ifdef DUE_BY_THE_CLOCK
#define isDue(j) (position[j] <= clock)
#else
#define isDue(j) true
#endif

inline enqueue(k) {
  d_step {
    open++; j = 0;
    do
    :: j < JOBS -> before[k] = before[k] | ((row[j] != absent) << j); j++
    :: else -> break
    od;
    j = 0
  };
  d_step {
    position[k] = clock;
#ifndef POSITION_IS_THE_CLOCK
    j = 0;
    do
    :: j < JOBS ->
       if
       :: row[j] == waiting && position[j] >= position[k] -> position[k] = position[j] + 1
       :: else
       fi;
       j++
    :: else -> break
    od;
    j = 0;
#ifndef POSITION_BELOW_THE_FLOOR
    if
    :: lookedAt >= position[k] -> position[k] = lookedAt + 1
    :: else
    fi
#endif
#endif
  };
  d_step { row[k] = waiting; open-- }
}

proctype Enqueuer(byte from; byte to) {
  byte k = from, j;
  do
  :: k <= to -> enqueue(k); k++
  :: else -> break
  od
}

/* The group's lock makes an admission one step. It may come at any time; what makes it necessary is in admission.pml. */
proctype Admission() {
  byte j, f, first;
end:
  do
  :: d_step {
       !taken && ((row[0] == waiting && isDue(0)) || (row[1] == waiting && isDue(1)) || (row[2] == waiting && isDue(2))) ->
       j = 0; f = JOBS; first = NOT_YET;
       if
       :: lookedAt > clock -> floor = 0
       :: else
       fi;
       do
       :: j < JOBS ->
          if
          :: row[j] == waiting && position[j] >= floor && isDue(j) && (f == JOBS || position[j] < position[f]) -> f = j
          :: else
          fi;
          j++
       :: else -> break
       od;
       if
       :: f < JOBS ->
          row[f] = running; j = 0;
          /* Nothing that waited for admission when this job was enqueued is left. */
          do
          :: j < JOBS -> assert(!(before[f] & (1 << j)) || row[j] == gone || j == f); j++
          :: else -> break
          od
       :: else
       fi;
       j = 0;
       do
       :: j < JOBS ->
          if
          :: row[j] == waiting && position[j] < first -> first = position[j]
          :: else
          fi;
          j++
       :: else -> break
       od;
       if
       :: open == 0 && lookedAt <= clock -> floor = (first < clock -> first : clock)
       :: else
       fi;
       lookedAt = clock; j = 0; f = 0; first = 0
     }
  od
}

proctype Worker() {
end:
  do
  :: row[0] == running -> row[0] = gone
  :: row[1] == running -> row[1] = gone
  :: row[2] == running -> row[2] = gone
  od
}

proctype Clock() {
  do
  :: clock < LAST -> clock++
  :: atomic { stepsBack > 0 && clock > 2 -> stepsBack--; clock = clock - 2 }
  :: clock == LAST -> break
  od
}

/* Admissions are tried again and again without an end, so it is enough to look where nothing else happens any more. */
proctype AtTheEnd() {
end:
  timeout -> assert(row[0] == gone && row[1] == gone && row[2] == gone)
}

init {
  atomic {
    run AtTheEnd();
    run Enqueuer(0, 0);
    run Enqueuer(1, 2);
    run Admission();
    run Worker();
    run Clock()
  }
}
