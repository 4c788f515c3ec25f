-- Whether the functions of the timeline are there: in a database that was not migrated they are not.
SELECT to_regproc('{schema}.muster_timeline') IS NOT NULL
