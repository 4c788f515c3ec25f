-- What there is to do for the leader; see muster_due in R__functions_cluster.sql.
SELECT * FROM {schema}.muster_due(?, ? * interval '1 millisecond', ? * interval '1 millisecond', ? * interval '1 millisecond',
                                  ?::bigint, ?::bigint, ?::uuid)
