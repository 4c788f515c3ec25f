-- A heartbeat, a renewal and the look for what there is to do, as one statement: what a leader asks every few seconds.
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
