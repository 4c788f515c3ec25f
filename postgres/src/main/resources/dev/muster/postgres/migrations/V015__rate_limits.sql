-- Counts of rate limits. A key has one row for each length of its windows, which is used again in each window: so the table is as large as
-- the number of keys in use, and no index changes while permits are counted. The table is logged, because a window must not be given out
-- twice when the server crashes. See docs/adr/0077-rate-limits-count-in-one-logged-row.md.
CREATE TABLE muster_rate_limits (
  key          text        NOT NULL,
  window_ms    bigint      NOT NULL,
  window_start timestamptz NOT NULL,
  used         bigint      NOT NULL,
  PRIMARY KEY (key, window_ms)
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_rate_limits IS 'How many permits of a key were given out in its last window. Upkeep removes a row an hour after its window ended.';
COMMENT ON COLUMN muster_rate_limits.key IS 'Kind, name and whom it is about, such as user/login/ada.';
COMMENT ON COLUMN muster_rate_limits.window_ms IS 'How long the windows are.';
COMMENT ON COLUMN muster_rate_limits.window_start IS 'When the window began that used belongs to.';
