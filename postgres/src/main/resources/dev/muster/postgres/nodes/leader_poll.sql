-- A heartbeat, the renewal of leadership and the recovery check as one statement, which a leader sends every few seconds.
WITH beat AS (
  {nodes/parts/write_heartbeat}),
renewed AS (
  {leaders/renew})
SELECT * FROM (
{nodes/parts/own_row}) AS own
CROSS JOIN (
{nodes/call_overdue_duties}) AS due
CROSS JOIN (
{leaders/role_rows}) AS role_rows
