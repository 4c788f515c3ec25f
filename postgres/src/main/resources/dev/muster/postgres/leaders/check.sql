-- Renews what this node holds and tells how each role stands. Renewal changes only expires_at, which the FOR KEY SHARE of
-- a fenced transaction does not block. Fails on a standby before it takes any lock.
WITH renewed AS (
  {leaders/renew})
{leaders/role_rows}
