-- As check.sql, and tries the locks that this session does not hold yet: one that it gets belonged to nobody, so the
-- session of the role's leader has ended, whatever the row says.
WITH renewed AS (
  {leaders/renew})
{leaders/role_rows_advisory}
