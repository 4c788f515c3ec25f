-- Renews the roles that this node leads and returns the state of each role. Renewal changes only expires_at, which the FOR KEY SHARE
-- of a fenced transaction does not block. Fails on a standby before it takes any lock.
WITH renewed AS (
  {leaders/renew})
{leaders/role_rows}
