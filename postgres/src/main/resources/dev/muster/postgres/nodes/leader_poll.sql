-- A heartbeat, the renewal of leadership and the recovery check as one statement, which a leader sends every few seconds.
WITH beat AS (
  {nodes/beat}),
renewed AS (
  {leaders/renew})
SELECT * FROM (
{nodes/own_row}) AS own
CROSS JOIN (
{nodes/due}) AS due
CROSS JOIN (
{leaders/role_rows}) AS role_rows
