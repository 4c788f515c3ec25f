-- Like check.sql, and also tries the advisory locks that this session does not hold yet. If it gets a lock, nobody held it, so the
-- session of the role's leader has ended, whatever the row says.
WITH renewed AS (
  {leaders/renew})
{leaders/role_rows_advisory}
