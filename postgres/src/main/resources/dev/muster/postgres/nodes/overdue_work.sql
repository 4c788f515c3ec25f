-- What there is to do for the leader; see muster_overdue_work in R__functions_cluster.sql.
SELECT * FROM {schema}.muster_overdue_work(?, ? * interval '1 millisecond', ? * interval '1 millisecond', ? * interval '1 millisecond',
                                  ?::bigint, ?::bigint, ?::uuid)
