-- What there is to do for the leader; see muster_overdue_duties in R__functions_dead_nodes.sql.
SELECT * FROM {schema}.muster_overdue_duties(?, ? * interval '1 millisecond', ? * interval '1 millisecond', ? * interval '1 millisecond',
                                  ?::bigint, ?::bigint, ?::uuid, ?::timestamptz)
