-- Like leader_poll.sql, and also tries the advisory locks that this session does not hold yet.
WITH beat AS (
  {nodes/parts/write_heartbeat}),
renewed AS (
  {leaders/renew})
SELECT * FROM (
{nodes/parts/own_row}) AS own
CROSS JOIN (
{nodes/call_overdue_duties}) AS due
CROSS JOIN (
{leaders/role_rows_advisory}) AS role_rows
