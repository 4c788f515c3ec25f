-- Like leader_poll.sql, and also tries the advisory locks that this session does not hold yet.
WITH beat AS (
  {nodes/beat}),
renewed AS (
  {leaders/renew})
SELECT * FROM (
{nodes/own_row}) AS own
CROSS JOIN (
{nodes/due}) AS due
CROSS JOIN (
{leaders/role_rows_advisory}) AS role_rows
