-- All keys, for people: the live ones first, the newest first. Reads the whole table.
SELECT * FROM ({keys/parts/columns}) k
ORDER BY k.status <> 'live', k.created_at DESC, k.id
