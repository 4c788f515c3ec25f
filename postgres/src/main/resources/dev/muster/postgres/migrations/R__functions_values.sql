-- How values of users are read: args, inputs, results and the payloads of events.

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The text of a value, or what is said instead if it would have too many bytes, or has a number of more than 1,000 digits. jsonb keeps
-- 1e131071 in sixteen bytes and prints 131,072 digits: a value of 100 kB can become a text that neither the server nor a node has memory for.
-- This version stores no such value, but an older one, or somebody with psql, may have done it.
-- A small value is printed at once, which is what reading it costs in any case. No number needs less than twelve bytes, so even the worst of
-- them has less than 10 MB, which stay on the server. Of others the numbers are counted first, of which none is printed that is too long.
-- They are taken from one array: jsonb_path_query moves all that it has found for each row that it returns, and 350,000 numbers took a minute.
-- pg_column_size sees a value as it is stored, perhaps compressed; what jsonb_path_query_first returns is unpacked.
CREATE OR REPLACE FUNCTION muster_text(
    stored jsonb, most bigint DEFAULT 4194304,
    instead text DEFAULT '{"$muster": "too large: as text it has more than 4 MB, or a number of more than 1000 digits"}') RETURNS text
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  unpacked jsonb;
  written  text;
  digits   numeric;
BEGIN
  IF stored IS NULL THEN
    RETURN NULL;
  END IF;
  IF pg_column_size(stored) <= 1000 AND pg_column_compression(stored) IS NULL THEN
    written := stored::text;
    IF octet_length(written) <= least(most, 65536) THEN
      RETURN written;
    END IF;
  END IF;
  IF pg_column_size(stored) > most THEN
    RETURN instead;
  END IF;
  unpacked := jsonb_path_query_first(stored, '$');
  IF pg_column_size(unpacked) > most THEN
    RETURN instead;
  END IF;
  SELECT sum(CASE WHEN abs(n.number) >= 1e1000 OR scale(n.number) > 1000 THEN most + 1 ELSE length(n.number::text) END) INTO digits
  FROM (SELECT p.item::numeric AS number
        FROM jsonb_array_elements(jsonb_path_query_array(unpacked, 'strict $.**{0 to 1000} ? (@.type() == "number")')) p (item)
        OFFSET 0) n;
  IF digits > most THEN
    RETURN instead;
  END IF;
  written := unpacked::text;
  RETURN CASE WHEN octet_length(written) <= most THEN written ELSE instead END;
END $$;
COMMENT ON FUNCTION muster_text(jsonb, bigint, text) IS 'The text of a value; something else instead if it has more bytes than that, or a number of more than 1,000 digits.';

-- For messages: 1 job, 3 jobs.
CREATE OR REPLACE FUNCTION muster_counted(many bigint, noun text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT many || ' ' || noun || CASE many WHEN 1 THEN '' ELSE 's' END $$;
COMMENT ON FUNCTION muster_counted(bigint, text) IS 'A number of things in words.';
