SELECT * FROM {schema}.muster_due(?, ? * interval '1 millisecond', ? * interval '1 millisecond', ? * interval '1 millisecond',
                                  ?::bigint, ?::bigint, ?::uuid)
